import Foundation

/// A text of OpenMetrics 1.0, read by a parser that takes nothing but what the specification allows a program to write.
///
/// It knows gauges, counters and histograms, without timestamps and exemplars.
public struct OpenMetricsText: Sendable {
    /// The first line that breaks a rule, and the rule.
    public struct Failure: Error, CustomStringConvertible {
        /// The rule and the line.
        public let description: String
    }

    /// The type of each family.
    public private(set) var types: [String: String] = [:]
    /// The unit of each family that has one.
    public private(set) var units: [String: String] = [:]
    /// The help of each family.
    public private(set) var helps: [String: String] = [:]
    /// The values by name and labels, as in `nuke_batch_items{manifest="a",state="done"}`, in the order of the text.
    public private(set) var samples: [String: Double] = [:]

    private var family = ""
    private var histogram = HistogramRules()

    /// Reads a text.
    /// - Throws: `Failure` at the first break.
    public init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Failure(description: "the last line has no end") }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        guard lines.popLast() == "# EOF" else { throw Failure(description: "the last line is not # EOF") }
        for line in lines {
            guard let broken = try read(line) else { continue }
            throw Failure(description: "\(broken): \(line)")
        }
        if let broken = histogram.end() { throw Failure(description: "\(broken): at the end of \(family)") }
        for name in types.keys where helps[name] == nil { throw Failure(description: "\(name) has no HELP") }
    }

    /// Returns the rule that a line breaks; nil if it breaks none.
    private mutating func read(_ line: String) throws -> String? {
        guard line.hasPrefix("#") else { return try readSample(line) }
        guard let words = line.wholeMatch(of: /# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)/) else {
            return "neither HELP, TYPE nor UNIT"
        }
        let (name, rest) = (String(words.2), String(words.3))
        if name != family {
            guard types[name] == nil, helps[name] == nil else {
                return "the lines of a family are not together"
            }
            if let broken = histogram.end() { return broken }
            family = name
        }
        guard !samples.keys.contains(where: { $0.hasPrefix(name + "{") || $0.hasPrefix(name + "_total{") })
        else {
            return "metadata after samples"
        }
        switch words.1 {
        case "HELP":
            guard helps.updateValue(rest, forKey: name) == nil else { return "HELP twice" }
        case "TYPE":
            guard ["gauge", "counter", "histogram"].contains(rest) else { return "an unknown type" }
            guard types.updateValue(rest, forKey: name) == nil else { return "TYPE twice" }
            if rest == "counter", name.hasSuffix("_total") { return "a family that ends with _total" }
        default:
            guard units.updateValue(rest, forKey: name) == nil else { return "UNIT twice" }
            guard name.hasSuffix("_\(rest)") else { return "a family that does not end with its unit" }
        }
        return nil
    }

    private mutating func readSample(_ line: String) throws -> String? {
        let label = #"[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*""#
        let form = try Regex(
            #"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(\#(label)(?:,\#(label))*)\} (-?[0-9]+(?:\.[0-9]+)?)"#,
            as: (Substring, Substring, Substring, Substring).self
        )
        guard let parts = line.wholeMatch(of: form), let value = Double(parts.3) else { return "no sample" }
        let (name, labels) = (String(parts.1), String(parts.2))
        guard let type = types[family] else { return "a sample without a type" }
        guard samples.updateValue(value, forKey: "\(name){\(labels)}") == nil else { return "a sample twice" }
        let names = labels.matches(of: /(?:^|,)([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\]|\\.)*"/).map { $0.1 }
        guard Set(names).count == names.count else { return "a label twice" }
        switch type {
        case "counter":
            guard name == family + "_total", value >= 0 else { return "no sample of a counter" }
        case "histogram":
            return histogram.add(name.dropFirst(family.count), labels, value)
        default:
            guard name == family else { return "no sample of a gauge" }
        }
        return nil
    }
}

/// The rules for the samples of one histogram at a time.
private struct HistogramRules {
    private var labels: String?
    private var bound = -Double.infinity
    private var last = 0.0
    private var count: Double?
    private var hasSum = false

    /// Returns the rule that a sample breaks; nil if it breaks none.
    mutating func add(_ suffix: Substring, _ labels: String, _ value: Double) -> String? {
        switch suffix {
        case "_bucket":
            guard let parts = labels.wholeMatch(of: /(.*),le="(\+Inf|[0-9]+\.[0-9]+)"/) else {
                return "no bound, or one that is not canonical"
            }
            if String(parts.1) != self.labels || count != nil {
                if let broken = end() { return broken }
                self = HistogramRules()
                self.labels = String(parts.1)
            }
            let next = parts.2 == "+Inf" ? Double.infinity : Double(parts.2) ?? .nan
            guard next > bound, value >= last else { return "buckets that do not grow" }
            (bound, last) = (next, value)
        case "_count":
            guard labels == self.labels, bound == .infinity, value == last, count == nil else {
                return "a count that is not that of the last bucket"
            }
            count = value
        case "_sum":
            guard labels == self.labels, !hasSum, value >= 0 else { return "a sum in the wrong place" }
            hasSum = true
        default: return "no sample of a histogram"
        }
        return nil
    }

    /// Returns the rule that the histogram breaks if it ends here.
    mutating func end() -> String? {
        defer { self = HistogramRules() }
        return labels == nil || count != nil && hasSum ? nil : "an incomplete histogram"
    }
}
