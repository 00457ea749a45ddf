// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <random>

#include "layout.hpp"

namespace kaon::reference {

ColorMatrix operator*(const ColorMatrix& a, const ColorMatrix& b);
ColorMatrix operator+(const ColorMatrix& a, const ColorMatrix& b);
ColorMatrix operator*(Complex a, const ColorMatrix& b);
ColorMatrix dagger(const ColorMatrix& a);
ColorMatrix identity_color_matrix();
Complex trace(const ColorMatrix& a);
Complex determinant(const ColorMatrix& a);

/// Colour matrix times each spin component of a site's spinor.
SiteVector multiply(const ColorMatrix& a, const SiteVector& v);

/// Largest |(a^dag a - 1)_ij| and |det a - 1|: the distance from SU(3).
double distance_from_su3(const ColorMatrix& a);

/// Back to SU(3): normalise row 1, Gram-Schmidt row 2 against it and normalise, row 3 = conj(row 1 x row 2).
ColorMatrix reunitarize(const ColorMatrix& a);

/// `reunitarize` of every link.
Links reunitarize(const Links& links);

/// Haar-distributed: the Gram-Schmidt of a matrix of independent normal numbers.
ColorMatrix random_su3(std::mt19937_64& generator);

/// SU(3) matrix at a distance of order `width` from 1: 1 + width (normal numbers), reunitarised.
ColorMatrix random_su3_near_one(std::mt19937_64& generator, double width);

/// U = 1.
Links unit_links(const Coordinates& extents);

/// Independent `random_su3` links: infinite coupling.
Links random_links(const Coordinates& extents, std::mt19937_64& generator);

/// Independent `random_su3_near_one` links, on which solvers converge quickly.
Links random_links_near_one(const Coordinates& extents, std::mt19937_64& generator, double width);

/// Normal numbers of variance 1 in every real and imaginary part.
Spinor random_spinor(const Coordinates& extents, std::mt19937_64& generator);

}  // namespace kaon::reference
