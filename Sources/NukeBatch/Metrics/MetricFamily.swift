import Foundation

/// A metric with all its samples, as it is written to a metrics file.
struct MetricFamily {
    /// The type of a metric.
    enum Kind: String {
        case gauge, counter, histogram
    }

    /// One value of the metric.
    struct Sample {
        /// The ending of the name, such as `_bucket`; for a counter, `_total`.
        var suffix = ""
        /// The labels in the order in which they are written.
        var labels: [(name: String, value: String)] = []
        /// The value.
        let value: Double
    }

    /// The name without the ending of its samples; it ends with the unit, if there is one.
    let name: String
    let kind: Kind
    /// The base unit, such as `seconds`; nil for a number.
    var unit: String?
    /// One sentence.
    let help: String
    let samples: [Sample]

    /// Returns the lines of the family in `format`; each sample gets the `common` labels as well.
    func text(_ format: MetricsFormat, common: [(name: String, value: String)]) -> String {
        // OpenMetrics names the family, the older format the samples.
        let described = kind == .counter && format == .prometheus ? "\(name)_total" : name
        var text = "# HELP \(described) \(help)\n# TYPE \(described) \(kind.rawValue)\n"
        if let unit, format == .openmetrics { text += "# UNIT \(described) \(unit)\n" }
        for sample in samples {
            let labels = (common + sample.labels).map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            text += "\(name)\(sample.suffix){\(labels.joined(separator: ","))} \(Self.number(sample.value))\n"
        }
        return text
    }

    /// Escapes a label's value: backslashes and quotation marks get a backslash, a newline becomes `\n`.
    ///
    /// For other control characters, which somebody's terminal would obey, the formats have no escape.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
            }
        }.joined()
    }

    /// The shortest text of a number; microseconds are enough for times.
    private static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        return String(format: "%.6f", value)
    }
}
