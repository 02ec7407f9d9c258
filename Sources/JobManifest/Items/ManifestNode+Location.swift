import ObjectStorage

extension ManifestNode {
    /// A URL of one of these schemes, or a path, as it is written and as it is loaded; reports one of a bucket.
    func location(schemes: Set<String>) -> (written: String, url: String)? {
        guard let written = string(), let expanded = expandedString() else { return nil }
        guard !ObjectLocation.isLocation(expanded) else {
            report("cannot be in a bucket yet: use its https URL, or download it")
            return nil
        }
        let checked = ItemURL.check(expanded, folder: reading.folder, schemes: schemes)
        if let problem = checked.problem {
            report(problem.message)
            return nil
        }
        return (written, checked.url)
    }
}
