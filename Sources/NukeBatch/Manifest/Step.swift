public import Imaging

/// A processor of a manifest: the closed vocabulary of what can be done to an image.
///
/// Its parameters are those of the operation of that name; sizes are in pixels.
public enum Step: Sendable, Hashable {
    /// Changes the size.
    case resize(Resize)
    /// Cuts a part out.
    case crop(Crop)
    /// Turns by quarters and mirrors.
    case rotate(Rotate)
    /// Keeps the luma alone.
    case grayscale

    /// What does it.
    public var operation: any ImageOperation {
        switch self {
        case .resize(let resize): resize
        case .crop(let crop): crop
        case .rotate(let rotate): rotate
        case .grayscale: Grayscale()
        }
    }

    /// The step with all its parameters, the defaults too, so that equal work has equal text.
    var canonical: CanonicalJSON {
        switch self {
        case .resize(let resize): .object(["resize": resize.canonical])
        case .crop(let crop): .object(["crop": crop.canonical])
        case .rotate(let rotate):
            .object([
                "rotate": .object([
                    "degrees": .integer(rotate.degrees),
                    "flip": rotate.flip.map { .string($0.rawValue) } ?? .null,
                ])
            ])
        case .grayscale: .object(["grayscale": .object([:])])
        }
    }
}

extension Resize {
    fileprivate var canonical: CanonicalJSON {
        .object([
            "width": width.map(CanonicalJSON.integer) ?? .null,
            "height": height.map(CanonicalJSON.integer) ?? .null,
            "contentMode": .string(contentMode.rawValue),
            "crop": .bool(crop),
            "upscale": .bool(upscale),
            "filter": .string(filter.rawValue),
            "linear": .bool(linear),
        ])
    }
}

extension Crop {
    fileprivate var canonical: CanonicalJSON {
        switch area {
        case .size(let size, let gravity):
            .object([
                "width": .integer(size.width), "height": .integer(size.height), "gravity": gravity.canonical,
            ])
        case .rect(let x, let y, let width, let height):
            .object(["rect": .array([x, y, width, height].map(CanonicalJSON.integer))])
        }
    }
}

extension Crop.Gravity {
    /// The words for the points of the compass.
    static let named: [String: Crop.Gravity] = [
        "center": .center, "north": .north, "northEast": .northEast, "east": .east, "southEast": .southEast,
        "south": .south, "southWest": .southWest, "west": .west, "northWest": .northWest,
    ]

    fileprivate var canonical: CanonicalJSON {
        if case .point(let x, let y) = self { return .object(["x": .number(x), "y": .number(y)]) }
        return Self.named.first { $0.value == self }.map { .string($0.key) } ?? .null
    }
}
