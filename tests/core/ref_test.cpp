// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/ref.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <memory>
#include <utility>

namespace kaon {
namespace KAON_TEST_FILE {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual int corners() const = 0;

 protected:
  Shape() = default;
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
};

/// Movable only, like operators that own fields; records its destruction.
class Polygon final : public Shape {
 public:
  Polygon(int corners, std::shared_ptr<int> token) : corners_(corners), token_(std::move(token)) {}
  Polygon(Polygon&&) = default;
  Polygon& operator=(Polygon&&) = default;
  int corners() const override { return corners_; }

 private:
  int corners_;
  std::shared_ptr<int> token_;
};

TEST(Ref, BorrowsWhatHasAName) {
  const auto token = std::make_shared<int>();
  const Polygon square(4, token);
  {
    const Ref<Shape> ref = square;
    EXPECT_FALSE(ref.owns());
    EXPECT_EQ(&*ref, &square);
    EXPECT_EQ(ref->corners(), 4);
  }
  EXPECT_EQ(token.use_count(), 2);
  Polygon changeable(5, token);
  EXPECT_FALSE(Ref<Shape>(changeable).owns());
}

TEST(Ref, OwnsATemporaryAsLongAsACopyLives) {
  const auto token = std::make_shared<int>();
  {
    auto first = std::make_unique<Ref<Shape>>(Polygon(3, token));
    EXPECT_TRUE(first->owns());
    EXPECT_EQ(token.use_count(), 2);  // the temporary is gone, what it was moved to is not
    const Ref<Shape> copy = *first;
    EXPECT_EQ(&*copy, &**first);
    first.reset();
    EXPECT_EQ(copy->corners(), 3);
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Ref, OwnsWhatIsMovedFromAName) {
  const auto token = std::make_shared<int>();
  Polygon square(4, token);
  const Ref<Shape> ref(std::move(square));
  EXPECT_TRUE(ref.owns());
  EXPECT_EQ(ref->corners(), 4);
}

TEST(Ref, TakesPointersThatOwn) {
  const auto token = std::make_shared<int>();
  {
    std::unique_ptr<Shape> unique = std::make_unique<Polygon>(6, token);
    const Shape* const address = unique.get();
    const Ref<Shape> ref = std::move(unique);
    EXPECT_TRUE(ref.owns());
    EXPECT_EQ(&*ref, address);
    const auto shared = std::make_shared<const Polygon>(7, token);
    const Ref<Shape> other = shared;
    EXPECT_EQ(&*other, shared.get());
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Ref, OfADerivedClassBecomesOneOfItsBase) {
  const auto token = std::make_shared<int>();
  std::unique_ptr<Ref<Shape>> base;
  {
    const Ref<Polygon> derived = Polygon(8, token);
    base = std::make_unique<Ref<Shape>>(derived);
    EXPECT_EQ(&**base, &*derived);
  }
  EXPECT_EQ((*base)->corners(), 8);
  const Ref<Polygon> back(*base, dynamic_cast<const Polygon&>(**base));
  base.reset();
  EXPECT_EQ(back->corners(), 8);
  EXPECT_TRUE(back.owns());
}

TEST(Ref, TakesNothingElse) {
  EXPECT_FALSE((std::convertible_to<int, Ref<Shape>>));
  EXPECT_FALSE((std::convertible_to<const Shape*, Ref<Shape>>));
  EXPECT_FALSE((std::convertible_to<Ref<Shape>, Ref<Polygon>>));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
