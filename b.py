"""What it is."""
x = "What"  # It goes on.

def f():
    """Good
    Those"""
