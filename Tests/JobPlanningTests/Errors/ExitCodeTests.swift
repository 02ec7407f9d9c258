import JobPlanning
import Testing

@Suite struct ExitCodeTests {
    @Test("of two exit codes the graver one holds, in any order")
    func graver() {
        let order: [ExitCode] = [
            .hungUp, .interrupted, .terminated, .machine, .workLeft, .someFailed, .done,
        ]
        for (index, grave) in order.enumerated() {
            #expect(ExitCode.graver(nil, grave) == grave)
            for lesser in order[index...] {
                #expect(ExitCode.graver(grave, lesser) == grave)
                #expect(ExitCode.graver(lesser, grave) == grave)
            }
        }
        #expect(ExitCode.graver(.held, .held) == .held)
    }
}
