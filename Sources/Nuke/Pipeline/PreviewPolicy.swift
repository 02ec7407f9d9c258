public import Foundation
import Imaging

extension ImagePipeline {
    /// The previews of incomplete data.
    public enum PreviewPolicy: Sendable, Equatable {
        /// A preview whenever more of the image can be shown.
        case incremental
        /// The embedded thumbnail of the file, if it has one.
        case thumbnail
        /// No previews.
        case disabled

        /// Returns the policy for a file that begins with `data`: previews of GIF and progressive JPEG only.
        public static func `default`(for data: Data) -> PreviewPolicy {
            switch AssetType(data) {
            case .gif: return .incremental
            case .jpeg:
                var scans = JPEGScans()
                scans.read(data)
                return scans.isProgressive == true ? .incremental : .disabled
            default: return .disabled
            }
        }
    }
}
