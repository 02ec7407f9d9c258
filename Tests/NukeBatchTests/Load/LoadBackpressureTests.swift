import Foundation
import Originals
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct LoadBackpressureTests {
    private let transfers = OperationQueue()

    private var isHeld: Bool { transfers.isSuspended }

    private func backpressure(bytes: Int = 100, count: Int = 10, fileBytes: Int = 1000) -> LoadBackpressure {
        LoadBackpressure(
            transfers,
            LoadBackpressure.Limits(
                bytes: bytes,
                fileBytes: fileBytes,
                receivedBytes: 50,
                count: count,
                unstored: 10
            )
        )
    }

    @Test("as many bytes as the limit hold loading back, one less does not")
    func bytes() {
        let backpressure = backpressure()
        let first = Holder(backpressure.enter(99))
        #expect(!isHeld)
        let second = Holder(backpressure.enter(1))
        #expect(isHeld)
        second.release()
        #expect(!isHeld)
        first.release()
        let all = Holder(backpressure.enter(100))
        #expect(isHeld)
        all.release()
        #expect(!isHeld)
    }

    @Test("originals in files have a limit of their own")
    func fileBytes() {
        let backpressure = backpressure()
        let first = Holder(backpressure.enter(999, inFile: true))
        #expect(!isHeld)
        let second = Holder(backpressure.enter(1, inFile: true))
        #expect(isHeld)
        first.release()
        #expect(!isHeld)
        second.release()
    }

    @Test("transfers in memory are within their limit, or else told so")
    func received() {
        let backpressure = backpressure()
        #expect(backpressure.count(bytes: 50))
        #expect(!backpressure.count(bytes: 1))
        #expect(backpressure.count(bytes: -1))
        #expect(!isHeld)
    }

    @Test("originals that wait for a processor count until they have one")
    func count() {
        let backpressure = backpressure(bytes: 1000, count: 2)
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

    @Test("readers wait in line while there is no room, and go in their order when there is")
    func waiting() async throws {
        let backpressure = backpressure()
        let first = Holder(await backpressure.room(for: 60, inFile: false))
        let passed = Recorded<Int>()
        // The small one at the end would fit, but it is not its turn.
        let readers = [50, 40, 10].enumerated().map { number, bytes in
            Task.immediate {
                let reservation = await backpressure.room(for: bytes, inFile: false)
                passed.add(number)
                return Holder(reservation)
            }
        }
        #expect(passed.all.isEmpty)
        first.release()
        let holders = [await readers[0].value, await readers[1].value, await readers[2].value]
        #expect(passed.all.sorted() == [0, 1, 2])
        #expect(isHeld)
        for holder in holders { holder.release() }
        #expect(!isHeld)
    }

    @Test("readers that pass at once count before they have read anything")
    func together() async {
        let backpressure = backpressure(count: 2)
        let passed = Recorded<Int>()
        let readers = (0..<3).map { number in
            Task.immediate {
                let holder = Holder(await backpressure.room(for: 0, inFile: false))
                passed.add(number)
                return holder
            }
        }
        let first = await readers[0].value
        let second = await readers[1].value
        #expect(passed.all == [0, 1] && isHeld)
        first.release()
        let third = await readers[2].value
        #expect(passed.all == [0, 1, 2])
        second.release()
        third.release()
    }

    @Test("one that is larger than the whole room waits until it is alone")
    func large() async {
        let backpressure = backpressure()
        let small = Holder(await backpressure.room(for: 1, inFile: false))
        let passed = Recorded<Int>()
        let reader = Task.immediate {
            let holder = Holder(await backpressure.room(for: 500, inFile: false))
            passed.add(500)
            return holder
        }
        #expect(passed.all.isEmpty)
        small.release()
        let large = await reader.value
        #expect(passed.all == [500] && isHeld)
        large.release()
        #expect(!isHeld)
    }
}
