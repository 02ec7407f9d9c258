package import Files
import Foundation
import FoundationNetworking

/// Original data, and its origin.
package struct LoadedData: Sendable {
    package let data: Data
    /// The response; nil for data that was not loaded now.
    package let received: ReceivedResponse?
    /// True if the data cache may store it: false for data from that cache and from this machine.
    let isStorable: Bool
    /// The cache it came from; nil for none.
    var cacheType: ImageResponse.CacheType?
    /// The SHA-256 of the data, 32 bytes; nil if it was not computed.
    ///
    /// It is computed while the data arrives, for a ``DataCache`` that stores it or if
    /// ``ImagePipeline/Configuration/isDigestComputed`` is set; data from a `DataCache` comes with it.
    package var sha256: Data?
    /// The metadata of the entry of a ``DataCache`` that it came from; nil for none.
    package var metadata: DataCache.Metadata?
    /// True if another request's download brought it: its bytes came over the network once.
    package var isShared = false
    /// The beginning that was kept on disk in case the load would break off; removed with the last reference, or once the
    /// whole is stored.
    var partial: PartialDownload?
    /// The file that holds the same bytes, which a ``DataCache`` can name instead of writing them again; nil for none.
    var file: UnnamedFile?
    /// The mapping of the file that the data is read from; nil for data in memory.
    package var mapping: MappedFile?
    /// The download in the pipeline's accounts; nil for data from elsewhere, and without accounts.
    package var hold: DownloadHold?

    /// The response in Foundation's form.
    var response: URLResponse? { received?.urlResponse }

    /// The same, for a request that joined the download of another.
    var shared: LoadedData {
        var loaded = self
        loaded.isShared = cacheType == nil
        return loaded
    }
}

/// The progress of a load after one chunk.
struct LoadedPart: Sendable {
    let progress: ImageTask.Progress
    /// All bytes so far; nil where nobody wants previews.
    let data: LoadedData?
}
