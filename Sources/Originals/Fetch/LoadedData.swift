package import Files
package import Foundation
package import FoundationNetworking

/// Original data, and its origin.
package struct LoadedData: Sendable {
    package let data: Data
    /// The response; nil for data that was not loaded now.
    package let received: ReceivedResponse?
    /// True if the data cache may store it: false for data from that cache and from this machine.
    package let isStorable: Bool
    /// True if it came from the data cache.
    package var isCached = false
    /// The SHA-256 of the data, 32 bytes; nil if it was not computed.
    ///
    /// It is computed while the data arrives, where somebody wants it; data from a `DataCache` comes with it.
    package var sha256: Data?
    /// The metadata of the entry of a ``DataCache`` that it came from, or can become; nil for none.
    package var metadata: DataCache.Metadata?
    /// True if another request's download brought it: its bytes came over the network once.
    package var isShared = false
    /// The beginning that was kept on disk in case the load would break off; removed with the last reference, or once the
    /// whole is stored.
    ///
    /// Nil for none, as of a body that was never in a file.
    package var partial: PartialDownload?
    /// The file that holds the same bytes, which a ``DataCache`` can name instead of writing them again; nil for none.
    package var file: UnnamedFile?
    /// The mapping of the file that the data is read from; nil for data in memory.
    package var mapping: MappedFile?
    /// The download in the pipeline's accounts; nil for data from elsewhere, and without accounts.
    package var hold: DownloadHold?

    package init(
        data: Data,
        received: ReceivedResponse?,
        isStorable: Bool,
        isCached: Bool = false,
        sha256: Data? = nil,
        metadata: DataCache.Metadata? = nil,
        partial: PartialDownload? = nil,
        file: UnnamedFile? = nil,
        mapping: MappedFile? = nil,
        hold: DownloadHold? = nil
    ) {
        (self.data, self.received, self.sha256, self.metadata) = (data, received, sha256, metadata)
        (self.isStorable, self.isCached) = (isStorable, isCached)
        (self.partial, self.file, self.mapping, self.hold) = (partial, file, mapping, hold)
    }

    /// The response in Foundation's form.
    package var response: URLResponse? { received?.urlResponse }

    /// The same, for a request that joined the download of another.
    package var shared: LoadedData {
        var loaded = self
        loaded.isShared = !isCached
        return loaded
    }
}

/// The progress of a load after one chunk.
package struct LoadedPart: Sendable {
    /// The number of bytes so far.
    package let completed: Int64
    /// The number of all bytes; negative if it is unknown.
    package let total: Int64
    /// All bytes so far; nil where nobody wants previews.
    package let data: LoadedData?
}
