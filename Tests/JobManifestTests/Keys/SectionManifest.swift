import JobManifest

/// Manifests in which one object has certain members.
enum SectionManifest {
    /// The text around the members of an object, by the name of the section.
    private static let frames: [String: (before: String, after: String)] = [
        "manifest": (#"{"sources": [{"urls": []}], "#, "}"),
        "entry": (#"{"sources": [{"urls": [{"url": "a.jpg", "#, "}]}]}"),
        "output": (#"{"sources": [{"urls": []}], "outputs": [{"#, "}]}"),
        "condition": (#"{"sources": [{"urls": []}], "outputs": [{"when": {"#, "}}]}"),
        "jpeg": (#"{"sources": [{"urls": []}], "outputs": [{"format": {"jpeg": {"#, "}}}]}"),
        "png": (#"{"sources": [{"urls": []}], "outputs": [{"format": {"png": {"#, "}}}]}"),
        "webp": (#"{"sources": [{"urls": []}], "outputs": [{"format": {"webp": {"#, "}}}]}"),
        "avif": (#"{"sources": [{"urls": []}], "outputs": [{"format": {"avif": {"#, "}}}]}"),
        "jxl": (#"{"sources": [{"urls": []}], "outputs": [{"format": {"jxl": {"#, "}}}]}"),
        "processor": (#"{"sources": [{"urls": []}], "processors": [{"#, "}]}"),
    ]
    private static let settings: Set = ["cache", "loading", "retry", "limits", "network"]
    private static let processors: Set = [
        "resize", "crop", "pad", "circle", "gaussianBlur", "sharpen", "rotate", "flatten", "trim", "adjust",
    ]
    /// The members that a processor needs to be valid, whatever else it has.
    private static let needed = [
        "resize": #""width": 10, "#, "pad": #""width": 10, "#, "crop": #""width": 10, "height": 10, "#,
        "rotate": #""flip": "vertical", "#, "adjust": #""gamma": 2, "contrast": 1, "#,
    ]

    /// The sections that `text` can show.
    static let sections = ManifestSection.all.filter {
        frames[$0.name] != nil || settings.contains($0.name) || processors.contains($0.name)
    }

    /// Returns a manifest that is valid if `members` are valid members of the section; nil for other sections.
    static func text(_ section: String, members: String, without key: String? = nil) -> String? {
        if let frame = frames[section] { return frame.before + members + frame.after }
        if settings.contains(section) { return #"{"sources": [{"urls": []}], "\#(section)": {\#(members)}}"# }
        guard processors.contains(section) else { return nil }
        var others = needed[section] ?? ""
        if let key, others.contains("\"\(key)\"") {
            let members = others.split(separator: ", ").filter { !$0.contains("\"\(key)\"") }
            others = members.map { $0 + ", " }.joined()
        }
        return #"{"sources": [{"urls": []}], "processors": [{"\#(section)": {\#(others)\#(members)}}]}"#
    }
}
