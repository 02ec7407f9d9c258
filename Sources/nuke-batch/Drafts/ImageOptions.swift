import Imaging
import JobManifest

/// The options of `resize` and `convert` that say what is made of each image.
struct ImageOptions: Sendable {
    /// A width and a height in pixels.
    struct Box: Sendable {
        let width, height: Int
    }

    /// The part of an image that a crop keeps.
    enum Gravity: String, CaseIterable {
        case center, smart, north, northEast, east, southEast, south, southWest, west, northWest
    }

    /// A format to write.
    enum Format: String, CaseIterable {
        case avif, jpeg, jxl, png, webp, same, smallest

        /// True if its files can be made smaller.
        var losesSomething: Bool { ![.png, .same].contains(self) }

        /// True if its quality is a number up to 100.
        var hasQuality: Bool { losesSomething && ![.jxl, .smallest].contains(self) }
    }

    var widths: [Int] = []
    var heights: [Int] = []
    var fit: Box?
    var fill: Box?
    var gravity: Gravity?
    var formats: [Format] = []
    var quality: Int?
    /// The score of SSIMULACRA2 of each file.
    var target: Int?
    /// The maximum size of each file in bytes.
    var maxBytes: Int?
    var isStripping = false
    var keepsMetadata = false
    /// The classes of metadata to keep and to drop.
    var metadata: MetadataOption?
    /// The treatment of brightness above that of standard screens; nil for the default.
    var hdr: HDRHandling?
    /// The template of the paths; nil for the default.
    var name: String?
    /// True if names in paths are made portable, false if they stay as they are.
    var isPortable = false

    static let table: [Option<ImageOptions>] = [
        .values(
            "--width",
            \.widths,
            as: .sides,
            help: "Resize to each width in pixels; images are never enlarged"
        ),
        .values("--height", \.heights, as: .sides, help: "Resize to each height in pixels"),
        .value("--fit", \.fit, as: .box, help: "Resize to fit within width and height"),
        .value("--fill", \.fill, as: .box, help: "Resize and crop to exactly this width and height"),
        .value(
            "--gravity",
            \.gravity,
            as: .choice("GRAVITY"),
            help: "Keep this part with --fill: center (default), smart, north, northEast and so on"
        ),
        .values(
            "--format",
            \.formats,
            as: .formats,
            help:
                "Write each format: avif, jpeg, jxl, png, webp, same as the original, or the smallest of avif, webp, jpeg and png"
        ),
        .value("--quality", \.quality, as: .number(1...100), help: "Set the quality of JPEG, WebP and AVIF"),
        .value(
            "--target",
            \.target,
            as: .number(1...100),
            help:
                "Search the lowest quality with this SSIMULACRA2 score: 50 medium, 70 high, 90 as the original"
        ),
        .value(
            "--max-bytes",
            \.maxBytes,
            as: .size,
            help: "Lower the quality until each file has at most SIZE, such as 200kB"
        ),
        .flag("--strip", \.isStripping, help: "Remove metadata (default)"),
        .flag("--keep-metadata", \.keepsMetadata, help: "Keep EXIF, XMP, IPTC and ICC data"),
        .value(
            "--metadata",
            \.metadata,
            as: .metadata,
            help: "Keep these classes of metadata, or all but those after a -, such as --metadata=-location"
        ),
        .value(
            "--hdr",
            \.hdr,
            as: .choice("WORD"),
            help: "Brightness above SDR: drop (default), keep, or tonemap, which maps PQ and HLG to sRGB"
        ),
        .value(
            "--name",
            \.name,
            as: .text("TEMPLATE"),
            help: "Name outputs by TEMPLATE, such as {dir}/{stem}-{width}.{ext}"
        ),
    ]

    /// True if a size is given.
    var hasSize: Bool { !widths.isEmpty || !heights.isEmpty || fit != nil || fill != nil }

    /// True if, without a template, outputs have the names of their originals.
    var keepsNames: Bool {
        name == nil && Set(widths).count < 2 && Set(heights).count < 2 && formats.allSatisfy { $0 == .same }
    }

    /// Checks that the options go together.
    /// - Throws: `UsageError` with the option to leave out or to add.
    func check() throws(UsageError) {
        let sizes = [
            widths.isEmpty && heights.isEmpty ? nil : "--width or --height", fit.map { _ in "--fit" },
            fill.map { _ in "--fill" },
        ].compactMap(\.self)
        guard sizes.count < 2 else {
            throw UsageError("\(sizes.joined(separator: " and ")) cannot be combined: give one of them")
        }
        guard widths.isEmpty || heights.isEmpty || Set(widths).count == 1 && Set(heights).count == 1 else {
            throw UsageError("several sizes need either --width or --height, not both")
        }
        guard gravity == nil || fill != nil else { throw UsageError("--gravity needs --fill WxH") }
        let metadata = [
            isStripping ? "--strip" : nil, keepsMetadata ? "--keep-metadata" : nil,
            metadata.map { _ in "--metadata" },
        ].compactMap(\.self)
        guard metadata.count < 2 else {
            throw UsageError("\(metadata.joined(separator: " and ")) cannot be combined: give one of them")
        }
        guard quality == nil || formats.contains(where: \.hasQuality) else {
            throw UsageError("--quality needs --format with jpeg, webp or avif")
        }
        guard target == nil || formats.contains(where: \.losesSomething) else {
            throw UsageError("--target needs --format with jpeg, webp, avif, jxl or smallest")
        }
        guard !formats.contains(.smallest) || Set(formats).count == 1 else {
            throw UsageError("--format smallest takes one format for each image: give it alone")
        }
        guard !formats.contains(.smallest) || target != nil else {
            throw UsageError(
                "--format smallest needs --target, such as --target 70: without a floor of quality, sizes cannot be compared"
            )
        }
        guard quality == nil || target == nil else {
            throw UsageError("--target and --quality cannot be combined: give one of them")
        }
        guard maxBytes == nil || !formats.isEmpty && formats.allSatisfy(\.losesSomething) else {
            throw UsageError(
                "--max-bytes needs --format with jpeg, webp, avif, jxl or smallest and no other, since it lowers the quality"
            )
        }
    }

    /// Returns the elements of `outputs`; with `keepsFiles`, files that the job does not know are not replaced.
    func outputs(keepsFiles: Bool) -> JSONText {
        let heights = Set(heights).sorted()
        guard heights.count > 1 else {
            let path = Set(widths).count > 1 ? "{dir}/{stem}-{width}.{ext}" : "{dir}/{stem}.{ext}"
            return [.object(sized + written(to: path, keepsFiles: keepsFiles))]
        }
        return .list(
            heights.map { height in
                .object(
                    [
                        .init("name", .text("height-\(height)")),
                        .init("processors", [["resize": ["height": .number(height)]]]),
                    ] + written(to: "{dir}/{stem}-{height}.{ext}", keepsFiles: keepsFiles)
                )
            }
        )
    }

    /// The members for all sizes but several heights.
    private var sized: [JSONText.Member] {
        let widths = Set(widths).sorted()
        if widths.count > 1 { return [.init("widths", .list(widths.map(JSONText.number)))] }
        var steps: [JSONText] = []
        if let fit {
            steps = [["resize": ["width": .number(fit.width), "height": .number(fit.height)]]]
        } else if let fill {
            let size: [JSONText.Member] = [
                .init("width", .number(fill.width)), .init("height", .number(fill.height)),
            ]
            let filling = size + [.init("contentMode", "aspectFill")]
            let gravity = gravity ?? .center
            steps =
                gravity == .center
                ? [["resize": .object(filling + [.init("crop", true)])]]
                : [
                    ["resize": .object(filling)],
                    ["crop": .object(size + [.init("gravity", .text(gravity.rawValue))])],
                ]
        } else if hasSize {
            let sides = [("width", widths.first), ("height", heights.first)]
            let members = sides.compactMap { name, side in side.map { JSONText.Member(name, .number($0)) } }
            steps = [["resize": .object(members)]]
        }
        return steps.isEmpty ? [] : [.init("processors", .list(steps))]
    }

    /// Returns the settings of a format.
    private func settings(of format: Format) -> [JSONText.Member] {
        guard format.losesSomething else { return [] }
        return [
            !format.hasQuality ? nil : quality.map { JSONText.Member("quality", .number($0)) },
            target.map { JSONText.Member("quality", ["ssimulacra2": .number($0)]) },
            maxBytes.map { JSONText.Member("maxBytes", .number($0)) },
        ].compactMap(\.self)
    }

    /// The members for the files.
    private func written(to standard: String, keepsFiles: Bool) -> [JSONText.Member] {
        var members: [JSONText.Member] = []
        var seen: Set<Format> = []
        let formats = formats.filter { seen.insert($0).inserted }.map { format -> JSONText in
            let settings = settings(of: format)
            guard !settings.isEmpty else { return .text(format.rawValue) }
            return .object([.init(format.rawValue, .object(settings))])
        }
        if formats.count == 1 { members.append(.init("format", formats[0])) }
        if formats.count > 1 { members.append(.init("formats", .list(formats))) }
        members.append(.init("path", .text(name ?? standard)))
        if !isPortable { members.append(.init("names", "asFound")) }
        if keepsMetadata { members.append(.init("metadata", "keep")) }
        if let metadata { members.append(.init("metadata", metadata.member)) }
        if let hdr { members.append(.init("hdr", .text(hdr.rawValue))) }
        if keepsFiles { members.append(.init("existing", "keep")) }
        return members
    }
}

extension ArgumentValue where Value == [Int] {
    /// Sides in pixels with commas between them.
    static var sides: Self {
        ArgumentValue("PIXELS,…", form: "one or more numbers of pixels from 1 to 65500, such as 400,800") {
            text in
            let sides = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                ManifestValue.count(part).flatMap { (1...65_500).contains($0) ? $0 : nil }
            }
            return sides.contains(nil) ? nil : sides.compactMap(\.self)
        }
    }
}

extension ArgumentValue where Value == ImageOptions.Box {
    fileprivate static var box: Self {
        ArgumentValue("WxH", form: "a width and a height from 1 to 65500 pixels, such as 640x480") { text in
            let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map {
                part in
                ManifestValue.count(part).flatMap { (1...65_500).contains($0) ? $0 : nil }
            }
            guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
            return ImageOptions.Box(width: width, height: height)
        }
    }
}

extension ArgumentValue where Value == [ImageOptions.Format] {
    /// Formats with commas between them.
    static var formats: Self {
        let words = ImageOptions.Format.allCases.map(\.rawValue)
        return ArgumentValue(
            "FORMAT,…",
            form: "one or more of \(words.joined(separator: ", "))",
            completion: .list(words)
        ) { text in
            let formats = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                ImageOptions.Format(rawValue: word == "jpg" ? "jpeg" : String(word))
            }
            return formats.contains(nil) ? nil : formats.compactMap(\.self)
        }
    }
}
