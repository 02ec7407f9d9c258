public import Foundation

/// An image with its type, data and user info.
public struct ImageContainer: Sendable {
    /// The image.
    public var image: PlatformImage
    /// The type of the file that it was decoded from.
    public var type: AssetType?
    /// True if it was decoded from a part of the file.
    public var isPreview: Bool
    /// The file itself if it holds more than these pixels: for a GIF.
    public var data: Data?
    /// Further values from a decoder or processor.
    public var userInfo: [UserInfoKey: any Sendable]

    /// Creates a container.
    public init(
        image: PlatformImage,
        type: AssetType? = nil,
        isPreview: Bool = false,
        data: Data? = nil,
        userInfo: [UserInfoKey: any Sendable] = [:]
    ) {
        self.image = image
        self.type = type
        self.isPreview = isPreview
        self.data = data
        self.userInfo = userInfo
    }

    /// A key of `userInfo`.
    public struct UserInfoKey: Hashable, ExpressibleByStringLiteral, Sendable {
        /// The text of the key.
        public let rawValue: String

        /// The key with the text `rawValue`.
        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The key with the text `value`.
        public init(stringLiteral value: String) {
            rawValue = value
        }

        /// The number of a JPEG's preview, an `Int` from 1; with the final image the number of its previews, if any.
        public static let scanNumberKey: UserInfoKey = "com.github/kean/nuke/scan-number"
    }

    /// Returns the same container with the image changed by `change`.
    ///
    /// - Throws: The error of `change`.
    public func map(_ change: (PlatformImage) throws -> PlatformImage) rethrows -> ImageContainer {
        var container = self
        container.image = try change(image)
        return container
    }
}
