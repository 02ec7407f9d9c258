/// The keys of a processor: the names of processors.
enum ProcessorKeys {
    static let resize = Key(
        "resize",
        .object(.resize),
        summary: "Changes the size.",
        example: ["width": 320],
        synonyms: ["scale", "thumbnail", "fit", "size"]
    )
    static let crop = Key(
        "crop",
        .object(.crop),
        summary: "Crops by gravity, by coordinates or by smart crop.",
        example: ["width": 320, "height": 320, "gravity": "smart"],
        synonyms: ["extract", "cut", "smartCrop"]
    )
    static let pad = Key(
        "pad",
        .object(.pad),
        summary: "Extends the canvas around the image.",
        example: ["width": 400, "height": 400],
        synonyms: ["extend", "canvas", "letterbox", "embed"]
    )
    static let circle = Key(
        "circle",
        .flagOrObject(.circle),
        summary: "Crops to the largest centred circle.",
        example: true,
        synonyms: ["round", "ellipse", "avatar"]
    )
    static let roundedCorners = Key(
        "roundedCorners",
        .object(.roundedCorners),
        summary: "Rounds the corners.",
        example: ["radius": 16],
        synonyms: ["corners", "cornerRadius", "rounded"]
    )
    static let gaussianBlur = Key(
        "gaussianBlur",
        .flagOrObject(.gaussianBlur),
        summary: "Blurs the image.",
        example: ["radius": 8],
        synonyms: ["blur"]
    )
    static let sharpen = Key(
        "sharpen",
        .flagOrObject(.sharpen),
        summary: "Sharpens with an unsharp mask.",
        example: ["amount": 1.5],
        synonyms: ["unsharp", "unsharpMask"]
    )
    static let rotate = Key(
        "rotate",
        .object(.rotate),
        summary: "Rotates by quarter turns, flips, or both.",
        example: ["degrees": 90],
        synonyms: ["flip", "mirror", "orientation", "flop"]
    )
    static let grayscale = Key(
        "grayscale",
        .flagOrObject(.grayscale),
        summary: "Removes colour.",
        example: true,
        synonyms: ["greyscale", "gray", "grey", "monochrome", "desaturate"]
    )
    static let flatten = Key(
        "flatten",
        .flagOrObject(.flatten),
        summary: "Blends transparent pixels with a background colour.",
        example: ["background": "#FFFFFF"],
        synonyms: ["background", "removeAlpha"]
    )
    static let trim = Key(
        "trim",
        .flagOrObject(.trim),
        summary: "Removes a border of one colour.",
        example: ["tolerance": 10],
        synonyms: ["autocrop"]
    )
    static let adjust = Key(
        "adjust",
        .object(.adjust),
        summary: "Changes brightness, contrast, saturation and gamma.",
        example: ["saturation": 1.2],
        synonyms: ["brightness", "contrast", "saturation", "gamma", "modulate", "tone"]
    )
    static let watermark = Key(
        "watermark",
        .object(.watermark),
        summary: "Overlays another image.",
        example: ["image": "logo.png"],
        synonyms: ["overlay", "logo", "composite"]
    )
}

extension ManifestSection {
    static let processor = ManifestSection(
        "processor",
        title: "Processors",
        about: [
            "A processor is an object with one key, its name, and its settings as the value. A processor whose settings are all "
                + "optional can also be written as `true`. Sizes are in pixels, at most `limits.maxDimension`."
        ],
        example: .output(
            #"{"name": "badge", "processors": [{"trim": true}, {"resize": {"width": 160}}, {"circle": true}], "format": "png"}"#
        ),
        keys: [
            ProcessorKeys.resize, ProcessorKeys.crop, ProcessorKeys.pad, ProcessorKeys.circle,
            ProcessorKeys.roundedCorners, ProcessorKeys.gaussianBlur, ProcessorKeys.sharpen,
            ProcessorKeys.rotate, ProcessorKeys.grayscale, ProcessorKeys.flatten, ProcessorKeys.trim,
            ProcessorKeys.adjust, ProcessorKeys.watermark,
        ],
        rules: ["minProperties": 1, "maxProperties": 1]
    )
}
