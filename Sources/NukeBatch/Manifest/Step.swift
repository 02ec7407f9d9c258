/// A processor of a manifest: the closed vocabulary of what can be done to an image, in the manifest's own words.
public enum Step: Sendable, Hashable {
    /// Changes the size.
    case resize(Resize)
    /// Cuts a part out.
    case crop(Crop)
    /// Turns by quarters and mirrors.
    case rotate(Rotate)
    /// Keeps the luma alone.
    case grayscale

    /// The parameters of `resize`; sides are in pixels.
    public struct Resize: Sendable, Hashable {
        /// The sides to reach; at least one is there.
        public var width, height: Int?
        /// How an image of another shape is brought to that size.
        public var contentMode = ContentMode.aspectFit
        /// With `aspectFill`: whether what is outside the size is cut off, evenly on both sides.
        public var crop = false
        /// Whether a smaller image is made larger.
        public var upscale = false
        /// What the pixels are resampled with.
        public var filter = Filter.lanczos3
        /// Whether the pixels are resampled in linear light.
        public var linear = false
    }

    /// How an image is brought to a size of another shape.
    public enum ContentMode: String, Sendable, CaseIterable {
        /// Inside, over or exactly of the size; the last stretches.
        case aspectFit, aspectFill, fill
    }

    /// The kernel of a resampling.
    public enum Filter: String, Sendable, CaseIterable {
        /// From the sharpest to the softest.
        case lanczos3, mitchell, bicubic, bilinear, box
    }

    /// The parameters of `crop`, in pixels.
    public enum Crop: Sendable, Hashable {
        /// As much of the image as fits into the size, held at the gravity.
        case size(width: Int, height: Int, gravity: Gravity)
        /// A part by its top left corner and its size.
        case rect(x: Int, y: Int, width: Int, height: Int)
    }

    /// The point of an image that is kept, as fractions of its width from the left and its height from the top.
    public struct Gravity: Sendable, Hashable {
        /// From 0 to 1.
        public let x, y: Double

        /// The middle of the image.
        public static let center = Gravity(x: 0.5, y: 0.5)

        /// Makes a gravity of its fractions, each from 0 to 1.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        /// The words for the points of the compass.
        static let named: [String: Gravity] = [
            "center": .center,
            "north": Gravity(x: 0.5, y: 0), "south": Gravity(x: 0.5, y: 1),
            "west": Gravity(x: 0, y: 0.5), "east": Gravity(x: 1, y: 0.5),
            "northWest": Gravity(x: 0, y: 0), "northEast": Gravity(x: 1, y: 0),
            "southWest": Gravity(x: 0, y: 1), "southEast": Gravity(x: 1, y: 1),
        ]
    }

    /// The parameters of `rotate`.
    public struct Rotate: Sendable, Hashable {
        /// Clockwise: 0, 90, 180 or 270.
        public var degrees = 0
        /// The mirroring, after the turn.
        public var flip: Flip?
    }

    /// Which way an image is mirrored.
    public enum Flip: String, Sendable, CaseIterable {
        /// Left and right, or top and bottom, change places.
        case horizontal, vertical
    }

    /// The step with all its parameters, the defaults too, so that equal work has equal text.
    var canonical: CanonicalJSON {
        switch self {
        case .resize(let resize):
            .object([
                "resize": .object([
                    "width": resize.width.map(CanonicalJSON.integer) ?? .null,
                    "height": resize.height.map(CanonicalJSON.integer) ?? .null,
                    "contentMode": .string(resize.contentMode.rawValue),
                    "crop": .bool(resize.crop),
                    "upscale": .bool(resize.upscale),
                    "filter": .string(resize.filter.rawValue),
                    "linear": .bool(resize.linear),
                ])
            ])
        case .crop(.size(let width, let height, let gravity)):
            .object([
                "crop": .object([
                    "width": .integer(width), "height": .integer(height),
                    "gravity": .object(["x": .number(gravity.x), "y": .number(gravity.y)]),
                ])
            ])
        case .crop(.rect(let x, let y, let width, let height)):
            .object(["crop": .object(["rect": .array([x, y, width, height].map(CanonicalJSON.integer))])])
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
