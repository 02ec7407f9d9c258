import Files
public import Foundation

/// The statistics of a complete shard, which are in a file beside it.
///
/// The names are those of img2dataset's `NNNNN_stats.json`, as far as they mean the same, so that its readers find what they
/// need. All values are recorded together with the items: a run that is killed and continued writes the same bytes.
public struct ShardStatistics: Hashable, Sendable {
    /// The number of items in the shard.
    public let items: Int
    /// The number of outputs in it.
    public let outputs: Int
    /// The size of the outputs in bytes, without headers and without the facts about items.
    public let bytes: Int
    /// The time when its first items were recorded, in milliseconds since 1970.
    public let firstMilliseconds: Int
    /// The time when its last items were recorded, in milliseconds since 1970.
    public let lastMilliseconds: Int

    /// Describes a shard.
    public init(items: Int, outputs: Int, bytes: Int, firstMilliseconds: Int, lastMilliseconds: Int) {
        (self.items, self.outputs, self.bytes) = (items, outputs, bytes)
        (self.firstMilliseconds, self.lastMilliseconds) = (firstMilliseconds, lastMilliseconds)
    }

    /// The bytes of the file, a JSON object; times are in seconds.
    ///
    /// A shard holds finished items only: failed ones are in no shard, so that their counts are 0.
    public var json: Data {
        Data(
            """
            {
                "count": \(items),
                "successes": \(items),
                "failed_to_download": 0,
                "failed_to_resize": 0,
                "duration": \(Self.seconds(max(0, lastMilliseconds - firstMilliseconds))),
                "start_time": \(Self.seconds(firstMilliseconds)),
                "end_time": \(Self.seconds(lastMilliseconds)),
                "status_dict": {"success": \(items)},
                "outputs": \(outputs),
                "bytes": \(bytes)
            }

            """.utf8
        )
    }

    private static func seconds(_ milliseconds: Int) -> String {
        "\(milliseconds / 1000).\(String(milliseconds % 1000).leftPadded(to: 3, with: "0"))"
    }
}
