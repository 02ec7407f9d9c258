package import Nuke

extension NetworkLog.Redaction {
    /// Shows the names of variables in the place of their `values`.
    package mutating func hide(_ values: [String: String]) {
        for (name, value) in values { texts[value] = "${\(name)}" }
    }
}
