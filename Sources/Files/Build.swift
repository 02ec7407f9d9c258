import CFiles

/// The origin of this program.
package enum Build {
    /// The commit that it was built from, with `-changed` behind it for changed sources; nil if its build did not say.
    package static var commit: String? {
        let text = String(cString: nb_build_commit())
        return text.isEmpty ? nil : text
    }
}
