import JobManifest

/// The manual page of manifests (section 5), made from the descriptions of their keys.
///
/// It is set ragged and without hyphens, which nobody may type. From groff 1.23 on, each paragraph asks the string AD and the
/// register HY anew; earlier ones keep the requests.
enum ManifestManual {
    static var page: String {
        let types = ManifestReference.types.map {
            ".TP\n.B \(text($0.name))\n\(text(Manual.sentence($0.form)))"
        }
        let sections = ManifestSection.chapters.flatMap { chapter in
            chapter.enumerated().map { index, section in
                self.section(section, macro: index == 0 ? ".SH" : ".SS")
            }
        }
        return """
            .TH NUKE\\-BATCH 5 "" "nuke\\-batch \(Manual.roff(Version.current))" "File Formats"
            .ds AD l
            .nr HY 0
            .ad l
            .nh
            .SH NAME
            nuke\\-batch \\- the manifest, a JSON or YAML file that describes a job
            .SH DESCRIPTION
            A manifest lists the images, the outputs to make of them, and the limits to respect. Only \\fBsources\\fR is required.
            Paths are relative to the manifest's folder.
            .PP
            .nf
            \(example)
            .fi
            .SH VALUES
            \(types.joined(separator: "\n"))
            \(sections.joined(separator: "\n"))
            .SH "SEE ALSO"
            .BR nuke\\-batch (1)
            """
    }

    private static var example: String {
        let lines = ManifestReference.example.split(separator: "\n")
        return lines.map { Manual.roff(String($0)) }.joined(separator: "\n")
    }

    private static func section(_ section: ManifestSection, macro: String) -> String {
        let paragraphs = section.about.map(text).joined(separator: "\n.PP\n")
        let keys = section.keys.map(entry)
        let head = "\(macro) \"\(text(macro == ".SH" ? section.title.uppercased() : section.title))\""
        return ([head] + (paragraphs.isEmpty ? [] : [paragraphs]) + keys).joined(separator: "\n")
    }

    private static func entry(_ key: KeyDescription) -> String {
        let standard = ManifestReference.default(of: key)
        let suffix = standard == "required" ? "required" : "default: \(standard)"
        // A long one may break after a comma, and nowhere else.
        let example = Manual.roff("Example: \(key.example.text).").replacing(",", with: ",\\:")
        return
            ".TP\n\\fB\(Manual.roff(key.name))\\fR (\(text(key.type)); \(text(suffix)))\n\(text(key.summary))\n\(example)"
    }

    /// Returns Markdown as roff: code in bold, links as their text.
    private static func text(_ markdown: String) -> String {
        let plain = markdown.replacing(/\[([^\]]+)\]\([^)]+\)/) { $0.1 }
        let pieces = plain.split(separator: "`", omittingEmptySubsequences: false)
        let lines = pieces.enumerated().map { index, piece in
            let text = Manual.roff(String(piece))
            return index % 2 == 1 ? "\\fB\(text)\\fR" : text
        }
        return lines.joined()
    }
}
