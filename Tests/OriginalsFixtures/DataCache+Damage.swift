public import Originals
import Foundation

extension DataCache {
    /// Changes a byte in the middle of an entry's file.
    /// - Throws: The error of the file system.
    public func damageFile(of key: String) throws {
        guard let url = url(for: key) else { return }
        var file = try Data(contentsOf: url)
        file[file.count / 2] ^= 0x55
        try file.write(to: url)
    }
}
