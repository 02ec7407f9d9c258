public import Foundation

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
            case .gif: .incremental
            case .jpeg: isProgressiveJPEG(data) ? .incremental : .disabled
            default: .disabled
            }
        }

        /// Whether the frame header is that of a progressive image: of SOF0 to SOF15, the first that comes (ITU-T T.81, B.1.1.3).
        private static func isProgressiveJPEG(_ data: Data) -> Bool {
            let bytes = [UInt8](data.prefix(1 << 20))
            var offset = 2
            while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
                switch bytes[offset + 1] {
                case 0xC2, 0xC6, 0xCA, 0xCE: return true
                case 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xC9, 0xCB, 0xCD, 0xCF, 0xDA, 0xD9: return false
                case 0xFF: offset += 1
                default: offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
                }
            }
            return false
        }
    }
}
