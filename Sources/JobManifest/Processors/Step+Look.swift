import Imaging

/// The steps that change pixels where they are: shapes, blur and sharpening, tones.
extension Circle {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.circle) else { return nil }
        self.init(border: fields[CircleKeys.border].flatMap(Border.init(_:)))
    }

    var canonical: CanonicalJSON { .object(["border": border?.canonical ?? .null]) }
}

extension RoundedCorners {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.roundedCorners) else { return nil }
        self.init(
            radius: fields[RoundedCornersKeys.radius] ?? 0,
            border: fields[RoundedCornersKeys.border].flatMap(Border.init(_:))
        )
    }

    var canonical: CanonicalJSON {
        .object(["radius": .number(radius), "border": border?.canonical ?? .null])
    }
}

extension Border {
    fileprivate init?(_ node: ManifestNode) {
        guard let fields = node.fields(.border) else { return nil }
        guard let color = fields[BorderKeys.color] else { return nil }
        self.init(color: color)
        width = fields[BorderKeys.width] ?? width
    }

    fileprivate var canonical: CanonicalJSON {
        .object(["color": .string(color.hexadecimal), "width": .number(width)])
    }
}

extension GaussianBlur {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.gaussianBlur) else { return nil }
        self.init()
        radius = fields[GaussianBlurKeys.radius] ?? radius
    }

    var canonical: CanonicalJSON { .object(["radius": .number(radius)]) }
}

extension Sharpen {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.sharpen) else { return nil }
        self.init()
        sigma = fields[SharpenKeys.sigma] ?? sigma
        amount = fields[SharpenKeys.amount] ?? amount
        threshold = fields[SharpenKeys.threshold] ?? threshold
    }

    var canonical: CanonicalJSON {
        .object(["sigma": .number(sigma), "amount": .number(amount), "threshold": .number(threshold)])
    }
}

extension Flatten {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.flatten) else { return nil }
        self.init()
        background = fields[FlattenKeys.background] ?? background
    }

    var canonical: CanonicalJSON {
        let color = Color(red: background.red, green: background.green, blue: background.blue)
        return .object(["background": .string(color.hexadecimal)])
    }
}

extension Adjust {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.adjust) else { return nil }
        fields.require(
            anyOf: AdjustKeys.brightness,
            AdjustKeys.contrast,
            AdjustKeys.saturation,
            AdjustKeys.gamma
        )
        self.init()
        brightness = fields[AdjustKeys.brightness] ?? brightness
        contrast = fields[AdjustKeys.contrast] ?? contrast
        saturation = fields[AdjustKeys.saturation] ?? saturation
        gamma = fields[AdjustKeys.gamma] ?? gamma
    }

    var canonical: CanonicalJSON {
        .object([
            "brightness": .number(brightness), "contrast": .number(contrast),
            "saturation": .number(saturation), "gamma": .number(gamma),
        ])
    }
}
