import Imaging

/// The steps that change pixels where they are: shapes, blur and sharpening, tones.
extension Circle {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.circle) else { return nil }
        self.init(border: fields["border"].flatMap(Border.init(_:)))
    }

    var canonical: CanonicalJSON { .object(["border": border?.canonical ?? .null]) }
}

extension RoundedCorners {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.roundedCorners) else { return nil }
        fields.require("radius")
        self.init(
            radius: fields["radius"]?.number(0...Double(node.reading.shared.maxDimension)) ?? 0,
            border: fields["border"].flatMap(Border.init(_:))
        )
    }

    var canonical: CanonicalJSON {
        .object(["radius": .number(radius), "border": border?.canonical ?? .null])
    }
}

extension Border {
    fileprivate init?(_ node: ManifestNode) {
        guard let fields = node.fields(.border) else { return nil }
        fields.require("color")
        guard let color = fields["color"]?.color() else { return nil }
        self.init(color: color)
        width = fields["width"]?.number(0.1...Double(node.reading.shared.maxDimension)) ?? width
    }

    fileprivate var canonical: CanonicalJSON {
        .object(["color": .string(color.hexadecimal), "width": .number(width)])
    }
}

extension GaussianBlur {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.gaussianBlur) else { return nil }
        self.init()
        radius = fields["radius"]?.number(0...Self.maxRadius) ?? radius
    }

    var canonical: CanonicalJSON { .object(["radius": .number(radius)]) }
}

extension Sharpen {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.sharpen) else { return nil }
        self.init()
        sigma = fields["sigma"]?.number(0...100) ?? sigma
        amount = fields["amount"]?.number(0...10) ?? amount
        threshold = fields["threshold"]?.number(0...255) ?? threshold
    }

    var canonical: CanonicalJSON {
        .object(["sigma": .number(sigma), "amount": .number(amount), "threshold": .number(threshold)])
    }
}

extension Flatten {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.flatten) else { return nil }
        self.init()
        background = fields["background"]?.opaqueColor() ?? background
    }

    var canonical: CanonicalJSON {
        let color = Color(red: background.red, green: background.green, blue: background.blue)
        return .object(["background": .string(color.hexadecimal)])
    }
}

extension Adjust {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.adjust) else { return nil }
        fields.require("brightness", "contrast", "saturation", "gamma")
        self.init()
        brightness = fields["brightness"]?.number(-1...1) ?? brightness
        contrast = fields["contrast"]?.number(0...10) ?? contrast
        saturation = fields["saturation"]?.number(0...10) ?? saturation
        gamma = fields["gamma"]?.number(0.1...10) ?? gamma
    }

    var canonical: CanonicalJSON {
        .object([
            "brightness": .number(brightness), "contrast": .number(contrast),
            "saturation": .number(saturation), "gamma": .number(gamma),
        ])
    }
}
