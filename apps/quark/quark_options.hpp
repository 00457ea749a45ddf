// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/option_values.hpp"

#include <kaon/quarks/families.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::apps {

/// A quark as a command line describes it, for all subcommands with quarks: the texts of options that may have several
/// numbers, and the other parameters.
struct QuarkOptions {
  std::string action{};          ///< a word of `QuarkActions`
  std::string mass{}, kappa{};   ///< one number, or several
  std::string naik_epsilon{};    ///< HISQ: one number, or one for each mass
  std::string b = "1", c = "0";  ///< domain wall: one number, or one for each slice: 1.1-0.2i,...
  std::string boundary = "periodic,periodic,periodic,antiperiodic";
  FermionParameters numbers{.csw = 0.0};  ///< the other parameters
  std::set<std::string> named{};          ///< the options that the command line has, as "--mass"

  bool has(std::string_view option) const { return named.contains(std::string(option)); }
  bool has(const FermionParameter& row) const { return has(row.option) || has(row.alias); }
  bool has_csw() const { return has("--csw") || has("--csw-s") || has("--csw-t"); }
};

/// A word of --action and its families, which differ in further parameters.
struct QuarkAction {
  std::string word;
  std::vector<const FermionFamily*> families;
};

/// The words of --action of a subcommand.
class QuarkActions {
 public:
  /// Families, with words that several may share.
  explicit QuarkActions(
      const std::function<bool(const FermionFamily&)>& has,
      const std::function<std::string_view(const FermionFamily&)>& word = [](const FermionFamily& family) {
        return family.program;
      });

  std::vector<std::string> words() const;
  const QuarkAction& operator[](std::string_view word) const;
  /// Throws `Failure` unless a family of --action `reads` the option, "--u0", or the word of an option, "--source:
  /// gaussian". The message lists the actions that read it.
  void require_reader(const std::string& action, std::string_view option,
                      const std::function<bool(const FermionFamily&)>& reads) const;
  /// The family of the word that the options name. Throws `Failure` for an option of a parameter that no family of
  /// this word reads, for a parameter that all of them need and that is not given, and for a part that was left out.
  const FermionFamily& family_of(const QuarkOptions& quark) const;

 private:
  std::vector<QuarkAction> actions_;
};

/// An option of a quark in the help of a subcommand.
struct QuarkOption {
  std::string_view parameter;  ///< its name in `family_parameters`, or "boundary"
  std::string text{};          ///< empty: the text of `family_parameters`
  std::string type{};          ///< empty: by the parameter
  bool is_alias = false;       ///< the option is `FermionParameter::alias`
};

/// Declares options of a quark.
void add_quark_options(const Command& command, QuarkOptions& quark, const std::vector<QuarkOption>& options);
/// --m5, --ls, --b and --c.
void add_domain_wall_options(const Command& command, QuarkOptions& quark);

/// The masses of --mass or --kappa; none if neither is given. Throws `Failure` where both are given, and for numbers
/// out of range and, in families with a kappa, for masses without one.
std::vector<double> masses_of(const QuarkOptions& quark, const FermionFamily& family, const NumberRange& range = {});
/// The masses of a subcommand that needs some. Throws `Failure` in the same way, and if none is given.
std::vector<double> required_masses(const QuarkOptions& quark, const FermionFamily& family, const NumberRange& range);
/// "--kappa" if the masses are given by it, otherwise "--mass".
const char* mass_option(const QuarkOptions& quark);

/// The parameters of the family except for mass and Naik epsilon, which may have several values. Throws `Failure` for
/// numbers that are not finite or are out of range.
FermionParameters fermion_parameters(const QuarkOptions& quark, const FermionFamily& family,
                                     const NumberRange& range = {});

/// Throws `Failure` for parameters that the operator refuses on any links, and names the option of the parameter.
void require_possible(const QuarkOptions& quark, const FermionParameters& parameters);

/// Returns one number for each mass: repeats a single number, and returns `otherwise` for an empty text.
std::vector<double> numbers_of_masses(const std::string& option, const std::string& text, std::size_t masses,
                                      double otherwise);

}  // namespace kaon::apps
