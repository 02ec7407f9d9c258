public import Foundation

/// An image, and what is known of it.
public struct ImageContainer: Sendable {
    /// The image.
    public var image: PlatformImage
    /// The type of the file that it was decoded from.
    public var type: AssetType?
    /// Whether it was decoded from a part of the file.
    public var isPreview: Bool
    /// The file itself, where its pixels are not all that it holds: of a GIF.
    public var data: Data?
    /// What else a decoder or processor has to say.
    public var userInfo: [UserInfoKey: any Sendable]

    /// An image with what is known of it.
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

        /// Which of a JPEG's previews this is, an `Int` from 1; with the final image how many there were, if any.
        public static let scanNumberKey: UserInfoKey = "com.github/kean/nuke/scan-number"
    }

    /// The same with another image, which `change` makes of this one.
    ///
    /// - Throws: what `change` throws.
    public func map(_ change: (PlatformImage) throws -> PlatformImage) rethrows -> ImageContainer {
        var container = self
        container.image = try change(image)
        return container
    }
}
