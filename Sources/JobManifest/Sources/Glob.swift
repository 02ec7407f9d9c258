import Foundation

/// A pattern of file names.
///
/// `*` and `?` match within a name, `**` crosses folders, `[a-z]` and `{jpg,png}` list alternatives, `\` escapes the
/// next character. Names that begin with a dot match only parts of the pattern that begin with one, too.
public struct Glob: Sendable, Equatable {
    /// The pattern as the manifest has it.
    public let pattern: String
    /// The folder of the parts before the first wildcard, absolute.
    public let root: String
    /// The rest of the pattern below the root, once for each combination of its alternatives.
    package let choices: [[GlobPart]]
    /// True if the case of names does not matter.
    package let ignoresCase: Bool
    /// The absolute path of the one file that a pattern without wildcards means; otherwise nil.
    package let literal: String?

    /// The extensions of files, objects and pages that count as images, in lower case: those of the formats that are read.
    package static let imageExtensions = [
        "jpg", "jpeg", "png", "webp", "gif", "avif", "jxl", "heic", "heif", "tif", "tiff", "bmp", "ico",
        "svg",
    ]
    /// The pattern of the files of a folder that count as images.
    package static let images = "*.{\(imageExtensions.joined(separator: ","))}"

    /// Reads a pattern, which starts from `folder` unless it is absolute or starts from the `home` folder.
    ///
    /// A folder without a pattern means the images in it, in any case of their extensions; with `excludes`, everything.
    /// `isFolder` returns true for the absolute path of a folder.
    package init(
        _ written: String,
        folder: String,
        home: String? = nil,
        ignoresCase: Bool = true,
        excludes: Bool = false,
        isFolder exists: (String) -> Bool = Self.isFolder
    ) throws(TextError) {
        pattern = written
        var pattern = written
        if let home, pattern == "~" || pattern.utf8.starts(with: "~/".utf8) {
            pattern = home + pattern.dropFirst()
        }
        let isPlain = !Self.isWild(pattern)
        if excludes, pattern.utf8.count > 1, pattern.utf8.last == UInt8(ascii: "/") { pattern.removeLast() }
        let isFolder =
            isPlain && !excludes && !pattern.isEmpty
            && Self.isFolder(Self.unescaped(pattern), in: folder, exists)
        if isFolder { pattern += "/**/" + Self.images }
        self.ignoresCase = ignoresCase || isFolder
        literal = isPlain && !isFolder ? FilePath.absolute(Self.unescaped(pattern), in: folder) : nil
        let names = pattern.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard let last = names.last, pattern.utf8.last != UInt8(ascii: "/") else {
            throw TextError("names no file: end it with a name or a pattern, such as *.jpg")
        }
        let wild = names.firstIndex(where: Self.isWild) ?? names.count - 1
        let isAbsolute = pattern.utf8.first == UInt8(ascii: "/")
        root = FilePath.absolute(
            (isAbsolute ? "/" : "./") + Self.unescaped(names[..<wild].joined(separator: "/")),
            in: folder
        )
        choices = try Self.choices(of: last.isEmpty ? "" : names[wild...].joined(separator: "/"))
    }

    /// Makes a pattern of the names below `root` of its parts; the rest of it is `names`, with slashes between.
    init(_ written: String, root: String, names: String, ignoresCase: Bool) throws(TextError) {
        (pattern, self.root, self.ignoresCase, literal) = (written, root, ignoresCase, nil)
        choices = try Self.choices(of: names)
    }

    /// Returns the parts of each alternative of a pattern.
    private static func choices(of pattern: String) throws(TextError) -> [[GlobPart]] {
        var choices: [[GlobPart]] = []
        for choice in try expanded(Array(pattern.unicodeScalars)) {
            var parts: [GlobPart] = []
            for name in choice.split(separator: "/") { parts.append(try GlobPart(Array(name))) }
            guard let last = parts.last else {
                throw TextError("has an alternative in braces that names no file: add a name")
            }
            // `photos/**` means the files in there.
            if last == .folders { parts.append(.name([.many])) }
            choices.append(parts)
        }
        return choices
    }

    /// Returns the pattern that matches nothing but `path`.
    package static func escaped(_ path: String) -> String {
        var pattern = ""
        for scalar in path.unicodeScalars {
            if special.contains(scalar) { pattern += "\\" }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern
    }

    /// Returns the text that a pattern without wildcards stands for.
    static func unescaped(_ pattern: String) -> String {
        var text = ""
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            isEscaped = scalar == "\\" && !isEscaped
            if !isEscaped { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    /// Returns true if a text is not only a name; combining marks do not hide the characters that make it so.
    package static func isWild(_ text: String) -> Bool {
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if special.contains(scalar) {
                return true
            }
        }
        // A name that ends with \ is none.
        return isEscaped
    }

    private static let special: Set<UnicodeScalar> = ["*", "?", "[", "]", "{", "}", "\\"]

    /// Returns true if a path without wildcards is that of a folder: it exists as one, or ends with a slash.
    private static func isFolder(_ path: String, in folder: String, _ exists: (String) -> Bool) -> Bool {
        let absolute = FilePath.absolute(path, in: folder)
        return absolute != "/" && (path.utf8.last == UInt8(ascii: "/") || exists(absolute))
    }

    /// Returns true if there is a folder at `path`, which is absolute.
    package static func isFolder(_ path: String) -> Bool {
        var files = ManifestFiles()
        return files.isFolder(path)
    }

    /// The texts that the braces of a pattern stand for, in their order.
    private static func expanded(_ pattern: [UnicodeScalar]) throws(TextError) -> [[UnicodeScalar]] {
        var done: [[UnicodeScalar]] = []
        var open: [[UnicodeScalar]] = [pattern]
        while let text = open.popLast() {
            guard let (start, commas, end) = try firstBraces(text) else {
                done.append(text)
                continue
            }
            let bounds = [start] + commas + [end]
            // The last first, since the open ones are taken from the end.
            for (left, right) in zip(bounds, bounds.dropFirst()).reversed() {
                open.append(Array(text[..<start] + text[(left + 1)..<right] + text[(end + 1)...]))
            }
            guard open.count + done.count <= 1024 else {
                throw TextError("has braces for more than 1024 patterns: use fewer")
            }
        }
        return done
    }

    /// The first brace with its commas and its end.
    private static func firstBraces(
        _ text: [UnicodeScalar]
    ) throws(TextError) -> (start: Int, commas: [Int], end: Int)? {
        var start: Int?
        var commas: [Int] = []
        var depth = 0
        var index = 0
        while index < text.count {
            switch text[index] {
            case "\\": index += 1
            case "{":
                if depth == 0 { start = index }
                depth += 1
            case "," where depth == 1: commas.append(index)
            case "}":
                depth -= 1
                if depth == 0, let start { return (start, commas, index) }
                if depth < 0 {
                    throw TextError("has a } without its {: write \\} for the character")
                }
            default: break
            }
            index += 1
        }
        if start != nil { throw TextError("has a { without its }: write \\{ for the character") }
        return nil
    }
}
