import Nuke
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct LoadBackpressureTests {
    private let images = ImagePipeline(configuration: ImagePipeline.Configuration())

    private var isHeld: Bool { images.configuration.dataLoadingQueue.isSuspended }

    private func backpressure(maxBytes: Int = 100, maxCount: Int = 10) -> LoadBackpressure {
        LoadBackpressure(images, maxBytes: maxBytes, maxCount: maxCount, maxUnstored: 10)
    }

    @Test("as many bytes as the limit hold loading back, one less does not")
    func bytes() {
        let backpressure = backpressure()
        #expect(backpressure.hasRoom)
        let first = Holder(backpressure.enter(99))
        #expect(backpressure.hasRoom && !isHeld)
        let second = Holder(backpressure.enter(1))
        #expect(!backpressure.hasRoom && isHeld)
        second.release()
        #expect(backpressure.hasRoom && !isHeld)
        first.release()
        let all = Holder(backpressure.enter(100))
        #expect(isHeld)
        all.release()
        #expect(!isHeld)
    }

    @Test("originals that wait for a processor count until they have one")
    func count() {
        let backpressure = backpressure(maxBytes: 1000, maxCount: 2)
        let first = Holder(backpressure.enter(1))
        #expect(!isHeld)
        let second = Holder(backpressure.enter(1))
        #expect(isHeld)
        first.process(into: 5)
        #expect(!isHeld)
        // Once is enough: it must not count as one less again.
        first.process(into: 5)
        let third = Holder(backpressure.enter(1))
        #expect(isHeld)
        second.release()
        #expect(!isHeld)
        first.release()
        third.release()
    }

    @Test("bytes of outputs count as long as the original")
    func outputs() {
        let backpressure = backpressure()
        let reservation = Holder(backpressure.enter(40))
        reservation.process(into: 59)
        #expect(!isHeld)
        reservation.process(into: 1)
        #expect(isHeld)
        reservation.release()
        #expect(!isHeld)
        // Nothing is left of it: all of the room is there again, and no more.
        let most = Holder(backpressure.enter(99))
        #expect(!isHeld)
        let last = Holder(backpressure.enter(1))
        #expect(isHeld)
        most.release()
        last.release()
    }

    @Test("readers wait in line while there is no room, and one goes for each original that leaves")
    func waiting() async throws {
        let backpressure = backpressure(maxCount: 1)
        await backpressure.waitForRoom()
        var held = Holder(backpressure.enter(1))
        let passed = Recorded<Int>()
        let readers = (0..<3).map { number in
            Task.immediate {
                await backpressure.waitForRoom()
                passed.add(number)
            }
        }
        #expect(passed.all.isEmpty)
        for number in 0..<3 {
            held.release()
            await readers[number].value
            #expect(passed.all == Array(0...number))
            // Those that came before go first, although there is room.
            #expect(backpressure.hasRoom == (number == 2))
            held = Holder(backpressure.enter(1))
        }
        #expect(!backpressure.hasRoom)
        held.release()
    }
}
