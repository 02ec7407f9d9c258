import Foundation
import JobStorage
import Testing

@Suite struct ShardStatisticsTests {
    @Test("the file is a JSON object with times in seconds, whose bytes depend on nothing else")
    func json() throws {
        let statistics = ShardStatistics(
            items: 3,
            outputs: 6,
            bytes: 4096,
            firstMilliseconds: 1_650_478_585_006,
            lastMilliseconds: 1_650_478_586_000
        )
        let object = try JSONSerialization.jsonObject(with: statistics.json) as? NSDictionary
        let expected: NSDictionary = [
            "count": 3, "successes": 3, "failed_to_download": 0, "failed_to_resize": 0, "duration": 0.994,
            "start_time": 1_650_478_585.006, "end_time": 1_650_478_586.0, "status_dict": ["success": 3],
            "outputs": 6, "bytes": 4096,
        ]
        #expect(object == expected)
        let copy = statistics
        #expect(copy.json == statistics.json)
    }

    @Test("a clock that was set back gives no negative duration")
    func clock() throws {
        let statistics = ShardStatistics(
            items: 1,
            outputs: 1,
            bytes: 1,
            firstMilliseconds: 2000,
            lastMilliseconds: 1000
        )
        let object = try JSONSerialization.jsonObject(with: statistics.json) as? [String: Any]
        #expect(object?["duration"] as? Double == 0)
    }
}
