@testable import JobManifest
import Testing

@Suite struct RetrySettingsTests {
    @Test("every key of retries is taken, and no status need be retried")
    func retry() throws {
        let reading = try NodeReading(#"{"attempts": 7, "backoff": "1s..2s", "statuses": []}"#)
        let settings = RetrySettings(reading.node)
        #expect(settings.attempts == 7 && settings.statuses.isEmpty)
        #expect(settings.backoff == Duration.seconds(1)...Duration.seconds(2))
    }
}
