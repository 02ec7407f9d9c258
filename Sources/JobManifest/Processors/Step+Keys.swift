import Imaging

/// Steps from a manifest: `{"resize": {"width": 320}}`, one key each; each step has a file of its own.
extension Step {
    static let section = ManifestSection(
        "processor",
        title: "Processors",
        about: [
            "A processor is an object with one key, its name, and its settings as the value. A processor whose settings are all "
                + "optional can also be written as `true`. Sizes are in pixels, at most `limits.maxDimension`."
        ],
        example: .output(
            #"{"name": "badge", "processors": [{"trim": true}, {"resize": {"width": 160}}, {"circle": true}], "format": "png"}"#
        ),
        keys: keys,
        rules: ["minProperties": 1, "maxProperties": 1]
    )

    private static let keys: [Key<Step>] = [
        KeyName("resize", "Changes the size.")
            .synonyms(["scale", "thumbnail", "fit", "size"])
            .holds(KeyKind.object(Resize.self).making(Step.resize), example: ["width": 320]),
        KeyName("crop", "Crops by gravity, by coordinates or by smart crop.")
            .synonyms(["extract", "cut", "smartCrop"])
            .holds(
                KeyKind.crop.making(Step.crop),
                example: ["width": 320, "height": 320, "gravity": "smart"]
            ),
        KeyName("pad", "Extends the canvas around the image.")
            .synonyms(["extend", "canvas", "letterbox", "embed"])
            .holds(KeyKind.object(Pad.self).making(Step.pad), example: ["width": 400, "height": 400]),
        KeyName("circle", "Crops to the largest centred circle.")
            .synonyms(["round", "ellipse", "avatar"])
            .holds(KeyKind.flagOrObject(Circle.self).making(Step.circle), example: true),
        KeyName("roundedCorners", "Rounds the corners.")
            .synonyms(["corners", "cornerRadius", "rounded"])
            .holds(KeyKind.object(RoundedCorners.self).making(Step.roundedCorners), example: ["radius": 16]),
        KeyName("gaussianBlur", "Blurs the image.")
            .synonyms(["blur"])
            .holds(KeyKind.flagOrObject(GaussianBlur.self).making(Step.gaussianBlur), example: ["radius": 8]),
        KeyName("sharpen", "Sharpens with an unsharp mask.")
            .synonyms(["unsharp", "unsharpMask"])
            .holds(KeyKind.flagOrObject(Sharpen.self).making(Step.sharpen), example: ["amount": 1.5]),
        KeyName("rotate", "Rotates by quarter turns, flips, or both.")
            .synonyms(["flip", "mirror", "orientation", "flop"])
            .holds(KeyKind.object(Rotate.self).making(Step.rotate), example: ["degrees": 90]),
        KeyName("grayscale", "Removes colour.")
            .synonyms(["greyscale", "gray", "grey", "monochrome", "desaturate"])
            .holds(KeyKind.flagOrObject(Grayscale.self).making { _ in Step.grayscale }, example: true),
        KeyName("flatten", "Blends transparent pixels with a background colour.")
            .synonyms(["background", "removeAlpha"])
            .holds(
                KeyKind.flagOrObject(Flatten.self).making(Step.flatten),
                example: ["background": "#FFFFFF"]
            ),
        KeyName("trim", "Removes a border of one colour.")
            .synonyms(["autocrop"])
            .holds(KeyKind.flagOrObject(Trim.self).making(Step.trim), example: ["tolerance": 10]),
        KeyName("adjust", "Changes brightness, contrast, saturation and gamma.")
            .synonyms(["brightness", "contrast", "saturation", "gamma", "modulate", "tone"])
            .holds(KeyKind.object(Adjust.self).making(Step.adjust), example: ["saturation": 1.2]),
        KeyName("watermark", "Overlays another image.")
            .synonyms(["overlay", "logo", "composite"])
            .holds(
                KeyKind.object(WatermarkStep.self).making(Step.watermark(_:)),
                example: ["image": "logo.png"]
            ),
    ]

    static func list(_ node: ManifestNode?) -> [Step] {
        node?.elements()?.compactMap(Step.init(_:)) ?? []
    }

    init?(_ node: ManifestNode) {
        guard let fields = node.fields(Self.section) else { return nil }
        guard fields.count == 1 else {
            node.report("should have one key, the processor's name, not \(fields.count)")
            return nil
        }
        guard let step = fields.alternative(of: Self.keys) else { return nil }
        self = step
    }
}
