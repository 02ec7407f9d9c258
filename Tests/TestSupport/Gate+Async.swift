import Foundation
public import LoopbackServer

extension Gate {
    /// Waits until it is open, a minute at most, on a thread of its own: a blocked task would hold one of the few of all tasks.
    public func waitUntilOpen() async {
        await withCheckedContinuation { continuation in
            Thread {
                self.wait(atMost: .seconds(60))
                continuation.resume()
            }.start()
        }
    }
}
