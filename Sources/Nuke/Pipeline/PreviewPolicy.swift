public import Foundation
import Imaging

extension ImagePipeline {
    /// Which previews are made of data that is not complete.
    public enum PreviewPolicy: Sendable, Equatable {
        /// One each time more can be shown.
        case incremental
        /// The small image that the file holds, if it holds one.
        case thumbnail
        /// None.
        case disabled

        /// What suits a file that begins with `data`: previews of GIF and of progressive JPEG, of nothing else.
        public static func `default`(for data: Data) -> PreviewPolicy {
            switch AssetType(data) {
            case .gif:
                return .incremental
            case .jpeg:
                var scans = JPEGScans()
                scans.read(data)
                return scans.isProgressive == true ? .incremental : .disabled
            default:
                return .disabled
            }
        }
    }
}
