# That file
set(x "# What")  # which has had x
