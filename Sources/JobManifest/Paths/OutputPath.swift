import Files

/// The template of an output's paths below the destination, such as `thumbs/{id}.{ext}`.
///
/// No value can lead out of the destination: it never holds a slash and never begins with a dot (`PathValue`),
/// and the template itself has been checked when it was read.
public struct OutputPath: Sendable, CustomStringConvertible {
    /// The template as written.
    public let template: String
    /// The path variables that are columns or `vars`.
    public let columns: [String]
    /// True if the whole path of an item is known before anything is loaded.
    public let isKnownInPlanning: Bool
    /// The names of the files.
    public let names: Names
    let parts: [Part]

    /// The treatment of the texts of which paths are made.
    public enum Names: String, Sendable, CaseIterable {
        /// Letters, digits, `.`, `_` and `-` alone, which every system takes.
        case portable
        /// As they are, but for slashes, control characters and a `-` first.
        case asFound
    }

    enum Part: Sendable, Equatable {
        case text(String)
        case index(width: Int)
        case id, host, folders, stem
        /// The item's column or variable `name`, or else the output's name, which is the value.
        case name(String)
        /// Known only after the image is loaded or rendered; stays in braces until then.
        case late(Late)
        case column(String)
    }

    enum Late: String, Sendable, CaseIterable {
        case ext, width, height, hash, shard
    }

    /// The variables that have a meaning of their own; only `name` yields to a column of its name.
    public static let builtInNames: Set<String> = Set(
        ["index", "id", "host", "dir", "stem", "output", "name"] + Late.allCases.map(\.rawValue)
    )

    /// The built-in names that no column or variable can take the place of.
    static let reservedNames = builtInNames.subtracting(["name"])

    /// The default path.
    public static let standard = "{output}/{host}/{dir}/{stem}.{ext}"

    /// The template in recipes, whose change remakes an output: the default keeps the text of release 0.1.
    var identity: String {
        template == Self.standard ? "{name}/{host}/{dir}/{stem}.{ext}" : template
    }

    /// The standard path.
    init(outputName: String, fixedExtension: String?, names: Names = .portable) {
        self.names = names
        let ext = fixedExtension.map { Part.text("." + $0) }
        template = Self.standard
        columns = []
        parts =
            [
                .text(PathValue.sanitized(outputName) + "/"), .host, .text("/"), .folders, .text("/"), .stem,
            ] + (ext.map { [$0] } ?? [.text("."), .late(.ext)])
        isKnownInPlanning = Self.isKnown(parts)
    }

    /// Reads a template for the output of this name.
    /// - Throws: An error for an absolute path, a path that leaves the destination, or an unmatched brace.
    init(
        _ template: String,
        outputName: String,
        fixedExtension: String?,
        names: Names = .portable
    ) throws(TextError) {
        self.names = names
        self.template = template
        var parts: [Part] = []
        var rest = Substring(template)
        while let brace = rest.unicodeScalars.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
            let inside = rest.rest(after: brace)
            guard rest.unicodeScalars[brace] == "{", let end = inside.unicodeScalars.firstIndex(of: "}")
            else { throw TextError("has an unmatched brace: write variables as {name}") }
            let variable = String(inside[..<end])
            switch variable {
            case "output": parts.append(.text(PathValue.sanitized(outputName)))
            case "name": parts.append(.name(PathValue.sanitized(outputName)))
            case "ext": parts.append(fixedExtension.map(Part.text) ?? .late(.ext))
            default: parts.append(try Self.variable(variable))
            }
            rest = inside.rest(after: end)
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
        isKnownInPlanning = Self.isKnown(parts)
        columns = parts.compactMap { if case .column(let name) = $0 { name } else { nil } }
        try check()
    }

    private static func variable(_ text: String) throws(TextError) -> Part {
        switch text {
        case "index": return .index(width: 0)
        case "id": return .id
        case "host": return .host
        case "dir": return .folders
        case "stem": return .stem
        case "": throw TextError("has {} without a name: write the variable's name")
        default: break
        }
        if let late = Late(rawValue: text) { return .late(late) }
        let pieces = text.parts(at: ":", maxSplits: 1)
        guard pieces.count == 2 else { return .column(text) }
        guard pieces[0] == "index", let width = ManifestValue.count(pieces[1]), (1...18).contains(width)
        else { throw TextError("has {\(text)}: only {index:1} to {index:18} take a width") }
        return .index(width: width)
    }

    /// Checks the template's own text; values cannot be invalid.
    private func check() throws(TextError) {
        guard !template.isEmpty else { throw TextError("is empty: name a file") }
        guard template.utf8.first != UInt8(ascii: "/") else {
            throw TextError("is absolute: remove the leading /, since it is below the destination")
        }
        guard template.utf8.last != UInt8(ascii: "/") else {
            throw TextError("names a folder: end it with a file name such as {stem}.{ext}")
        }
        guard template.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw TextError("holds a control character: remove it")
        }
        for component in description.utf8.split(separator: UInt8(ascii: "/")) {
            let text = String(Substring(component))
            guard text != "..", text != "." else {
                throw TextError("has a component \(text), which could leave the destination: remove it")
            }
            guard text.utf8.count <= 255 else {
                throw TextError("has a file name of more than 255 bytes: shorten it")
            }
        }
    }

    /// The template with the output's name and extension filled in.
    public var description: String {
        parts.map { part in
            switch part {
            case .text(let text), .name(let text): text
            case .index(let width): width == 0 ? "{index}" : "{index:\(width)}"
            case .id: "{id}"
            case .host: "{host}"
            case .folders: "{dir}"
            case .stem: "{stem}"
            case .late(let late): "{\(late.rawValue)}"
            case .column(let name): "{\(name)}"
            }
        }.joined()
    }

    /// The variables that are known only after the image is loaded or rendered.
    var lateVariables: Set<Late> {
        Set(parts.compactMap { if case .late(let late) = $0 { late } else { nil } })
    }

    /// True if planning knows which rows write to the same paths: at most the size of the image is missing in them.
    package var isDecidedInPlanning: Bool { !hasLate { $0 != .width && $0 != .height } }

    /// True if a row's set of pictures is told from another's only when it is written: more than the size of the image is missing.
    package var isSetDecidedInWriting: Bool {
        !isDecidedInPlanning && hasLate { $0 == .width || $0 == .height }
    }

    private func hasLate(_ isMeant: (Late) -> Bool) -> Bool {
        parts.contains { if case .late(let late) = $0 { isMeant(late) } else { false } }
    }

    /// The texts that the paths of all items begin and end with.
    package var fixedEnds: (beginning: String, end: String) {
        let texts: [String?] = parts.map { if case .text(let text) = $0 { text } else { nil } }
        let beginning = texts.prefix { $0 != nil }.compactMap(\.self)
        let end = texts.reversed().prefix { $0 != nil }.compactMap(\.self).reversed()
        return (beginning.joined(), end.joined())
    }

    /// True if paths need the text of the folders of an original, or of its name.
    package var needsFolders: Bool { parts.contains(.folders) }
    package var needsStem: Bool { parts.contains(.stem) }

    /// True if paths need the bytes of an original, or a side of the output.
    package var needsHash: Bool { hasLate { $0 == .hash || $0 == .shard } }
    package var needsWidth: Bool { parts.contains(.late(.width)) }
    package var needsHeight: Bool { parts.contains(.late(.height)) }

    /// The variables that would give every item a path of its own and that the template lacks, such as `{id} or {index}`.
    package var missingDistinction: String {
        let hasIndex = parts.contains { if case .index = $0 { true } else { false } }
        if hasIndex { return "{output}" }
        return parts.contains(.id) ? "{index}" : "{index} or {id}"
    }

    /// True if a column or variable `name` of an item takes the place of the output's name.
    var yieldsToColumn: Bool { parts.contains { if case .name = $0 { true } else { false } } }

    private static func isKnown(_ parts: [Part]) -> Bool {
        parts.allSatisfy { if case .late = $0 { false } else { true } }
    }

    /// Returns the path of an item, relative to the destination; variables known only later stay in braces.
    public func planned(for item: PlannedItem) -> String {
        planned(for: item, URLPieces(item))
    }

    /// The paths of an item for several outputs, whose common work is done once.
    public static func planned(_ paths: [OutputPath], for item: PlannedItem) -> [String] {
        lazy var pieces = URLPieces(item)
        return paths.map { $0.planned(for: item, pieces) }
    }

    /// Returns the paths of an item for several outputs, with the parts of its URL.
    package static func planned(_ paths: [OutputPath], for item: PlannedItem, _ pieces: URLPieces) -> [String]
    {
        paths.map { $0.planned(for: item, pieces) }
    }

    /// Takes its URL apart only for a template that has a part of it.
    private func planned(for item: PlannedItem, _ portable: @autoclosure () -> URLPieces) -> String {
        lazy var pieces = names == .portable ? portable() : URLPieces(item, names)
        var path = ""
        path.reserveCapacity(64)
        for part in parts {
            switch part {
            case .text(let text): path += text
            case .index(let width): path += String(item.index).leftPadded(to: width, with: "0")
            case .id: path += value(item.pathID(names))
            case .host: path += pieces.host
            case .folders: path += value(pieces.folders)
            case .stem: path += value(pieces.stem)
            case .late(let late): path += "{\(late.rawValue)}"
            case .name(let output):
                path += value(item.variables["name"].map { PathValue.value($0, names) } ?? output)
            case .column(let name): path += value(PathValue.value(item.variables[name] ?? "", names))
            }
        }
        return isKnownInPlanning ? PathValue.joined(path, names) : path
    }

    /// The characters that stand for the braces of a value while those of a template wait for their values; no path holds them.
    private static let (opening, closing): (Unicode.Scalar, Unicode.Scalar) = ("\u{1}", "\u{2}")

    /// Returns a value with no brace that could be taken for a variable's.
    private func value(_ text: String) -> String {
        guard names == .asFound, !isKnownInPlanning else { return text }
        return Self.replacing(text, [("{", Self.opening), ("}", Self.closing)])
    }

    private static func replacing(_ text: String, _ pairs: [(old: Unicode.Scalar, new: Unicode.Scalar)])
        -> String
    {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(pairs.first { $0.old == scalar }?.new ?? scalar) }
        return String(scalars)
    }

    /// Completes a path from `planned(for:)` with the facts about the rendered image.
    public func finished(_ planned: String, with facts: OutputFacts) -> String {
        if isKnownInPlanning { return planned }
        return PathValue.joined(
            Self.replacing(completed(planned, with: facts), [(Self.opening, "{"), (Self.closing, "}")]),
            names
        )
    }

    /// Returns a planned path with the values of its variables.
    private func completed(_ planned: String, with facts: OutputFacts) -> String {
        var path = ""
        var rest = planned.utf8[...]
        while let brace = rest.firstIndex(of: UInt8(ascii: "{")),
            let end = rest[brace...].firstIndex(of: UInt8(ascii: "}"))
        {
            let name = rest[rest.index(after: brace)..<end]
            path += Substring(rest[..<brace])
            if let late = Late.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) {
                path += PathValue.sanitized(facts.text(of: late))
            } else {
                path += Substring(rest[brace...end])
            }
            rest = rest[rest.index(after: end)...]
        }
        return path + Substring(rest)
    }
}

/// The path variables that are known only when the image is made.
public struct OutputFacts: Sendable {
    /// The extension of the written format, without a dot.
    public var fileExtension: String
    /// The size of the result in pixels.
    public var width, height: Int
    /// SHA-256 of the original's bytes, 64 hexadecimal digits.
    public var hash: String

    /// Makes the facts of one output.
    public init(fileExtension: String, width: Int, height: Int, hash: String) {
        self.fileExtension = fileExtension
        self.width = width
        self.height = height
        self.hash = hash
    }

    fileprivate func text(of late: OutputPath.Late) -> String {
        switch late {
        case .ext: fileExtension
        case .width: String(width)
        case .height: String(height)
        case .hash: hash
        case .shard: String(hash.prefix(2))
        }
    }
}
