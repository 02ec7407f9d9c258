@testable import JobManifest
import Testing

@Suite struct RetrySettingsTests {
    @Test("every key of retries is taken, and no status need be retried")
    func retry() throws {
        let reading = try NodeReading(#"{"attempts": 7, "backoff": "1s..2s", "statuses": []}"#)
        let settings = RetrySettings(reading.node)
        #expect(settings.attempts == 7 && settings.statuses.isEmpty)
        #expect(settings.backoff == Duration.seconds(1)...Duration.seconds(2))
        #expect(settings.recheck == .after(.seconds(86_400)))
    }

    @Test(
        "answers that may change are asked for again after a time, or never",
        arguments: [(#""90m""#, RetrySettings.Recheck.after(.seconds(5400))), (#""never""#, .never)]
    )
    func recheck(text: String, expected: RetrySettings.Recheck) throws {
        let reading = try NodeReading(#"{"recheck": \#(text), "statuses": [403]}"#)
        let settings = RetrySettings(reading.node)
        #expect(settings.recheck == expected)
        let rechecked = settings.recheckedErrors
        #expect(
            rechecked.isSuperset(of: [
                .http(400), .http(404), .http(410), .http(501), .tls, .redirects, .wrongType, .corrupt,
            ])
        )
        #expect(
            rechecked.isDisjoint(with: [.http(403), .timeout, .badURL, .notFound, .processing, .collision])
        )
    }
}
