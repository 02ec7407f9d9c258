import Foundation

/// The keys of Nuke: values under those of Nuke 12, where settings went by `userInfo`, set the properties.
extension ImageRequest.UserInfoKey {
    /// Sets `imageID`, by a `String`.
    public static let imageIdKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/imageId"
    /// Sets `scale`, by a `CGFloat`, `Double`, `Float` or `Int`.
    public static let scaleKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/scale"
    /// Sets `thumbnail`, by `ThumbnailOptions`.
    public static let thumbnailKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/thumbnail"
    /// Names the request, by a `String`, in the ``ImageTask/Metrics`` of its task.
    public static let labelKey: ImageRequest.UserInfoKey = "github.com/kean/nuke/label"
}

extension ImageRequest {
    /// Sets `imageID`, under its name in Nuke 12.
    public var imageId: String? { imageID }

    /// Sets the properties for which `userInfo` has keys of Nuke 12, and leaves the others.
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
