import JobManifest

extension Manifest {
    /// True if the origin of `original` opted out of the use of its images in datasets.
    ///
    /// `noai` and `noimageai` are directives that artists' sites have agreed on; a directive counts for any user agent.
    func excludes(_ original: Original) -> Bool {
        guard dataset?.honoursOptOut == true, !outputs.isEmpty, let robots = original.robots else {
            return false
        }
        let words = robots.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
        return words.contains { $0 == "noai" || $0 == "noimageai" }
    }
}
