import JobPlanning
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct RunTimerTests {
    @Test("a ring ends the wait, and all later ones")
    func ring() async {
        let timer = RunTimer()
        await timer.wait(milliseconds: 0)
        await timer.wait(milliseconds: 1)
        let isOver = Recorded<Bool>()
        let waiting = Task.immediate {
            await timer.wait(milliseconds: 86_400_000)
            isOver.add(true)
        }
        #expect(isOver.all.isEmpty)
        timer.ring()
        await waiting.value
        await timer.wait(milliseconds: 86_400_000)
        timer.ring()
        await timer.wait(milliseconds: 86_400_000)
    }
}
