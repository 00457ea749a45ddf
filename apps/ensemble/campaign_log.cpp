// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/campaign_log.hpp"

#include <kaon/io/checksum.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <span>

namespace kaon::apps {
namespace {

LoggedConfiguration from_json(const Json& event) {
  return {.state = event.at("state"),
          .source = event.value("source", std::size_t{0}),
          .sources = event.value("sources", std::size_t{0}),
          .iterations = event.value("iterations", 0),
          .seconds = event.contains("seconds") ? event["seconds"].value("total", 0.0) : 0.0,
          .joules = event.value("joules", 0.0),
          .memory = event.value("memory", 0.0),
          .extents = event.value("extents", Coordinates{}),
          .exit_code = event.value("exit_code", 0),
          .reason = event.value("reason", "")};
}

}  // namespace

CampaignLog::CampaignLog(const Session& session, const CampaignOptions& options)
    : is_first_(session.communicator().rank() == 0),
      file_(std::filesystem::path(options.input.folder) / "campaign.jsonl"),
      input_(fmt::format("{:08x}", io::crc32(std::as_bytes(std::span(options.input.text))))) {}

LoggedCampaign CampaignLog::read() const {
  LoggedCampaign log;
  if (!is_first_) return log;
  std::ifstream file(file_);
  for (std::string line; std::getline(file, line);) {
    try {
      const Json event = parse_json(line);
      const std::string name = event.at("configuration");
      const bool is_own = event.at("input") == input_;
      if (is_own) log.configurations[name] = from_json(event);
      if (event.at("state") != "measured") continue;
      if (is_own) {
        log.by_others.erase(name);
      } else {
        log.by_others.insert(name);
      }
    } catch (const std::exception&) {  // an empty line, or one that a full disk has cut
    }
  }
  return log;
}

void CampaignLog::begin(const std::string& name) const { append(name, "measuring", Json::object()); }

void CampaignLog::begin_source(const std::string& name, std::size_t source, std::size_t sources) const {
  append(name, "measuring", {{"source", source}, {"sources", sources}});
}

void CampaignLog::measured(const std::string& name, const Coordinates& extents, int iterations, const Json& phases,
                           std::optional<double> joules, double memory) const {
  Json content{{"extents", extents}, {"iterations", iterations}, {"seconds", phases}};
  if (memory > 0.0) content["memory"] = memory;
  if (joules) content["joules"] = *joules;
  append(name, "measured", content);
}

void CampaignLog::failed(const std::string& name, Exit code, const std::string& reason) const {
  append(name, "failed", {{"exit_code", static_cast<int>(code)}, {"reason", reason}});
}

void CampaignLog::append(const std::string& name, const char* state, const Json& content) const {
  if (!is_first_) return;
  Json event{{"configuration", name}, {"state", state}, {"time", time_stamp()}, {"input", input_}};
  event.update(content);
  // One write, after the end of a line that another run may not have completed: lines of several runs do not mix.
  const std::string line = "\n" + event.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  const int descriptor = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(descriptor, line.data(), line.size());
  ::close(descriptor);
}

MeanCost mean_cost(const LoggedCampaign& log, const Coordinates& extents) {
  MeanCost mean;
  for (const auto& [name, configuration] : log.configurations) {
    if (configuration.state != "measured" || configuration.extents != extents) continue;
    ++mean.configurations;
    mean.seconds += configuration.seconds;
    mean.joules += configuration.joules;
    mean.memory = std::max(mean.memory, configuration.memory);
  }
  if (mean.configurations > 0) {
    mean.seconds /= static_cast<double>(mean.configurations);
    mean.joules /= static_cast<double>(mean.configurations);
  }
  return mean;
}

}  // namespace kaon::apps
