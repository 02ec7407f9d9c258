import Files
import Foundation
import JobPlanning
import Originals

/// Originals that are files of this machine.
extension OriginalLoader {
    /// Reads a file of this machine, a large one from a copy of it.
    func readFile(_ target: String) async throws -> Original {
        let limit = manifest.loading.maxBytes
        let size = try await reading.run { try files.size(target) }
        guard size <= limit else {
            throw ItemError(.tooLarge, "\(ItemListing.shown(target)) is larger than loading.maxBytes")
        }
        let isCopied = size > memory.largestInMemory
        let reservation = await backpressure.room(for: size, inFile: isCopied)
        let loaded: LoadedData = try await reading.run {
            if isCopied, let bodyFolder {
                let file = try UnnamedFile(in: bodyFolder)
                // Its owner may change or cut the file while it is used.
                let digest = RunningDigest()
                try files.copy(target, to: file, limit: limit) { digest.append($0) }
                let mapping = try file.mapped()
                return LoadedData(
                    data: mapping.data,
                    received: nil,
                    isStorable: false,
                    sha256: Data(digest.value),
                    mapping: mapping
                )
            }
            let data = try files.read(target, limit: limit)
            let sha256 = Data(Digest.sha256.bytes(of: data))
            return LoadedData(data: data, received: nil, isStorable: false, sha256: sha256)
        }
        return try original(loaded, from: .file, reservation: reservation)
    }
}
