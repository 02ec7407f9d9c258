import Files
import TestSupport
import Testing

@testable import JobPlanning

@Suite(.timeLimit(.minutes(1))) struct OrderedStageTests {
    @Test("outputs come in the order of the inputs, whichever thread makes them", arguments: [1, 2, 5])
    func order(cores: Int) {
        let stage = OrderedStage<Int, Int>(cores: cores) { $0 * $0 }
        defer { stage.end() }
        var (added, outputs) = (0, [Int]())
        while outputs.count < 5000 {
            if !stage.isFull, added < 5000 {
                stage.add(added)
                added += 1
            } else if let output = stage.next() {
                outputs.append(output)
            }
        }
        #expect(outputs == (0..<5000).map { $0 * $0 })
        #expect(stage.next() == nil)
    }

    @Test("it is full before inputs take much memory, and has room again when an output is taken")
    func bound() {
        let stage = OrderedStage<Int, Int>(cores: 2) { $0 }
        defer { stage.end() }
        var added = 0
        while !stage.isFull {
            stage.add(added)
            added += 1
        }
        #expect(added == 5)
        #expect(stage.next() == 0)
        #expect(!stage.isFull)
    }

    @Test("an output that is late holds back those behind it")
    func late() {
        let second = TimedSemaphore()
        let stage = OrderedStage<Int, Int>(cores: 2) { number in
            // The first input waits until another thread works on the second.
            if number == 0 { second.wait() } else { second.signal() }
            return number
        }
        defer { stage.end() }
        stage.add(0)
        stage.add(1)
        #expect(stage.next() == 0)
        #expect(stage.next() == 1)
    }

    @Test("what is in work when the stage ends is dropped")
    func end() {
        let stage = OrderedStage<Int, Int>(cores: 3) { $0 }
        for number in 0..<7 { stage.add(number) }
        stage.end()
        #expect(stage.next() == nil)
    }
}
