import JobPlanning
import Testing

@Suite struct FailurePolicyTests {
    @Test("reads words and percentages")
    func reads() {
        let known: [(String, FailurePolicy)] = [
            ("any", .any), ("new", .new), ("never", .never), ("2%", .share(percent: 2)),
            ("0.5%", .share(percent: 0.5)), ("100%", .share(percent: 100)),
        ]
        for (text, policy) in known { #expect(FailurePolicy(text) == policy, "\(text)") }
        for text in [
            "", "%", "2", "101%", "-1%", "+1%", "1e1%", "nan%", ".5%", "5.%", "1..2%", "New", " any",
        ] {
            #expect(FailurePolicy(text) == nil, "\(text)")
        }
    }

    @Test("a share is exceeded, not reached")
    func share() {
        let policy = FailurePolicy.share(percent: 2)
        #expect(!policy.fails(failed: 2, new: 2, items: 100) && policy.fails(failed: 3, new: 0, items: 100))
        #expect(!policy.fails(failed: 0, new: 0, items: 0))
    }

    @Test("the others look at what they are named after")
    func words() {
        for (failed, new) in [(0, 0), (3, 0), (3, 1)] {
            #expect(FailurePolicy.any.fails(failed: failed, new: new, items: 9) == (failed > 0))
            #expect(FailurePolicy.new.fails(failed: failed, new: new, items: 9) == (new > 0))
            #expect(!FailurePolicy.never.fails(failed: failed, new: new, items: 9))
        }
    }
}
