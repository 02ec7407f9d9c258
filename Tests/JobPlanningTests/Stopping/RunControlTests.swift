import JobPlanning
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RunControlTests {
    @Test("a stop calls the handlers once, those that come later at once")
    func stop() {
        let control = RunControl()
        let calls = Recorded<String>()
        control.onStop { calls.add("early") }
        control.onStop { calls.add("second") }
        #expect(calls.all.isEmpty)
        #expect(!control.isStopping)
        #expect(control.exit == nil)
        control.stop(.workLeft)
        #expect(calls.all == ["early", "second"])
        #expect(control.isStopping)
        control.stop(.machine)
        #expect(calls.all == ["early", "second"])
        control.onStop { calls.add("late") }
        #expect(calls.all == ["early", "second", "late"])
    }

    @Test("the graver reason and the first trouble are kept")
    func reasons() {
        let control = RunControl()
        control.stop(.workLeft)
        #expect(control.trouble == nil)
        control.stop(.machine, trouble: "the disk is full")
        #expect(control.exit == .machine)
        control.stop(.workLeft, trouble: "something else")
        #expect(control.exit == .machine)
        #expect(control.trouble == "the disk is full")
        control.stop(.interrupted)
        #expect(control.exit == .interrupted)
    }

    @Test("the end of claiming leaves what is in flight alone")
    func stopClaiming() {
        let control = RunControl()
        let calls = Recorded<String>()
        control.onStop { calls.add("stopped") }
        control.stopClaiming(.workLeft)
        #expect(control.isStopping)
        #expect(control.exit == .workLeft)
        control.stopClaiming(.done)
        #expect(control.exit == .workLeft)
        control.onStop { calls.add("another") }
        #expect(calls.all.isEmpty)
        control.stop(.terminated)
        #expect(control.exit == .terminated)
        #expect(calls.all == ["stopped", "another"])
    }

    @Test("a time limit ends the claiming first")
    func timeLimit() async throws {
        let control = RunControl()
        let calls = Recorded<String>()
        control.onStop { calls.add("stopped") }
        #expect(control.stopAfter(nil) == nil)
        let distant = try #require(control.stopAfter(.seconds(86_400)))
        distant.cancel()
        await distant.value
        #expect(control.exit == nil)
        let near = try #require(control.stopAfter(.zero))
        try await eventually { control.exit != nil }
        #expect(control.exit == .workLeft)
        await near.value
        #expect(calls.all == ["stopped"])
    }
}
