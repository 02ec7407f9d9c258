import NukeBatch
import Testing

@Suite struct RateMeterTests {
    @Test("needs two samples at different times")
    func first() {
        var meter = RateMeter()
        #expect(meter.add(seconds: 2, items: 5, bytes: 10) == nil)
        #expect(meter.add(seconds: 2, items: 9, bytes: 10) == nil)
        #expect(meter.add(seconds: 4, items: 11, bytes: 30) == RateMeter.Rates(items: 3, bytes: 10))
    }

    @Test("looks back exactly as far as its window")
    func window() {
        var meter = RateMeter(window: 10)
        _ = meter.add(seconds: 0, items: 0, bytes: 0)
        #expect(meter.add(seconds: 5, items: 10, bytes: 100) == RateMeter.Rates(items: 2, bytes: 20))
        // The sample of 0 s counts still, as the next one lies within the window.
        #expect(meter.add(seconds: 14, items: 28, bytes: 140) == RateMeter.Rates(items: 2, bytes: 10))
        // The one of 5 s begins the window.
        #expect(meter.add(seconds: 15, items: 40, bytes: 400) == RateMeter.Rates(items: 3, bytes: 30))
    }

    @Test("bytes that become fewer count as none")
    func fewerBytes() {
        var meter = RateMeter()
        _ = meter.add(seconds: 0, items: 0, bytes: 100)
        #expect(meter.add(seconds: 1, items: 1, bytes: 40) == RateMeter.Rates(items: 1, bytes: 0))
    }

    @Test("without an end in the window, the rates are those since the beginning")
    func sinceTheBeginning() {
        var meter = RateMeter(window: 1)
        _ = meter.add(seconds: 4, items: 2, bytes: 8)
        _ = meter.add(seconds: 8, items: 4, bytes: 16)
        #expect(meter.add(seconds: 16, items: 4, bytes: 16) == RateMeter.Rates(items: 0.25, bytes: 1))
    }

    @Test("a run that should have finished five items since the last one is stalled and loads nothing")
    func stalled() {
        var meter = RateMeter(window: 1)
        #expect(meter.add(seconds: 1, items: 0, bytes: 0) == nil)
        #expect(
            meter.add(seconds: 2, items: 0, bytes: 0)?.isStalled == false,
            "nothing tells how long one takes"
        )
        _ = meter.add(seconds: 4, items: 2, bytes: 16)
        #expect(meter.add(seconds: 13, items: 2, bytes: 16)?.isStalled == false)
        let stalled = RateMeter.Rates(items: 0.125, bytes: 0, isStalled: true)
        #expect(meter.add(seconds: 16, items: 2, bytes: 16) == stalled)
        #expect(meter.add(seconds: 17, items: 3, bytes: 24)?.isStalled == false)
    }
}
