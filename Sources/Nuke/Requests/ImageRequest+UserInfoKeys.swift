import Foundation

/// Names of Nuke 12, where these settings went by `userInfo`: what is put there under them is set.
extension ImageRequest.UserInfoKey {
    /// Sets `imageID`, by a `String`.
    public static let imageIdKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/imageId"
    /// Sets `scale`, by a `CGFloat`, `Double`, `Float` or `Int`.
    public static let scaleKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/scale"
    /// Sets `thumbnail`, by `ThumbnailOptions`.
    public static let thumbnailKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/thumbnail"
    /// Whether a ``DataCache`` remembers the URL that the data came from, by a `Bool`; it does where this is not said.
    package static let keepsFinalURLKey: ImageRequest.UserInfoKey = "keepsFinalURL"
}

extension ImageRequest {
    /// What the caches know the image by: `imageID` by the name that it has in Nuke 12.
    public var imageId: String? { imageID }

    /// Sets what `userInfo` says under the keys of Nuke 12, and leaves alone what it does not name.
    mutating func takeSettings(of userInfo: [UserInfoKey: any Sendable]) {
        guard !userInfo.isEmpty else { return }
        if let id = userInfo[.imageIdKey] as? String { imageID = id }
        if let options = userInfo[.thumbnailKey] as? ThumbnailOptions { thumbnail = options }
        switch userInfo[.scaleKey] {
        case let value as CGFloat: scale = value
        case let value as Double: scale = CGFloat(value)
        case let value as Float: scale = CGFloat(value)
        case let value as Int: scale = CGFloat(value)
        default: break
        }
    }
}
