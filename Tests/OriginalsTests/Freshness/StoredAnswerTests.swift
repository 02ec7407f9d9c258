import Foundation
import FoundationNetworking
import Originals
import Testing

/// The age of stored answers, their reuse without a request of somebody, and the answers that confirm them.
@Suite struct StoredAnswerTests {
    /// An answer that took two seconds.
    private struct Answer: StoredAnswer {
        let status = 200
        let fields: HeaderFields
        let requestTime = 1_000_000.0
        let responseTime = 1_000_002.0
        let isRedirected = false

        init(_ fields: [String: String]) {
            self.fields = HeaderFields(fields)
        }

        /// The permitted use so many seconds after the answer arrived.
        func reuse(after seconds: Double) -> Reuse {
            reuse(for: nil, at: Date(timeIntervalSince1970: responseTime + seconds), FreshnessRules())
        }
    }

    @Test(
        "an answer grows older on its way and while it is kept; a clock that is set back makes it no younger"
    )
    func ages() {
        let plain = Answer(["Cache-Control": "max-age=60"])
        #expect(plain.reuse(after: 57) == .use && plain.reuse(after: 58) == .validate)
        #expect(plain.reuse(after: -1000) == .use)
        #expect(plain.currentAge(at: Date(timeIntervalSince1970: 0)) == 2)
        let aged = Answer(["Cache-Control": "max-age=60", "Age": "50"])
        #expect(aged.reuse(after: 7) == .use && aged.reuse(after: 8) == .validate)
    }

    @Test("a stale answer is used while it is refreshed, for as long as its server allows that at all")
    func staleness() {
        let control = "max-age=60, stale-while-revalidate=10"
        let answer = Answer(["Cache-Control": control])
        #expect(answer.reuse(after: 67) == .useAndRefresh && answer.reuse(after: 68) == .validate)
        #expect(Answer(["Cache-Control": control + ", must-revalidate"]).reuse(after: 67) == .validate)
        #expect(Answer(["Cache-Control": "no-cache, max-age=60"]).reuse(after: 0) == .validate)
        #expect(Answer(["Cache-Control": "no-cache=\"Set-Cookie\", max-age=60"]).reuse(after: 0) == .use)
    }

    @Test("an answer is confirmed by its own validators alone, or by an answer without any")
    func confirmation() {
        func isConfirmed(_ stored: [String: String], by answer: [String: String]) -> Bool {
            Answer(stored).isConfirmed(by: HeaderFields(answer))
        }
        let both = ["ETag": "\"a\"", "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]
        #expect(isConfirmed(both, by: [:]))
        #expect(isConfirmed(both, by: ["ETag": "\"a\""]) && isConfirmed(both, by: ["ETag": "W/\"a\""]))
        #expect(!isConfirmed(both, by: ["ETag": "\"b\""]) && !isConfirmed([:], by: ["ETag": "\"a\""]))
        let date = ["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]
        #expect(isConfirmed(both, by: date) && !isConfirmed([:], by: date))
        #expect(!isConfirmed(both, by: ["Last-Modified": "Fri, 02 Jan 1970 00:00:00 GMT"]))
    }
}
