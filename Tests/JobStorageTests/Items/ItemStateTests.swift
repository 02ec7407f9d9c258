import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ItemStateTests {
    @Test("the whole table: every other event is refused")
    func table() {
        let expected: [ItemEvent: [ItemState: ItemState]] = [
            .claim: [.pending: .running, .retry: .running],
            .finish: [.running: .done],
            .skip: [.running: .skipped],
            .fail: [.running: .failed],
            .postpone: [.running: .retry],
            .putBack: [.running: .pending],
            .quarantine: [.running: .quarantined],
            .release: [.failed: .pending, .quarantined: .pending],
            .change: [.done: .pending, .skipped: .pending, .failed: .pending],
            .adopt: [.pending: .done, .retry: .done],
        ]
        for event in ItemEvent.allCases {
            for state in ItemState.allCases {
                #expect(state.after(event) == expected[event]?[state], "\(state) \(event)")
            }
        }
    }

    @Test("every item can come to an end, and a run leaves no end by itself")
    func ends() {
        let byRun: [ItemEvent] = [.claim, .finish, .skip, .fail, .postpone, .putBack, .quarantine]
        for state in ItemState.allCases {
            var reached: Set<ItemState> = [state]
            for _ in ItemState.allCases {
                reached.formUnion(reached.flatMap { state in byRun.compactMap { state.after($0) } })
            }
            #expect(reached.contains { $0.isFinished })
            if state.isFinished { #expect(reached == [state]) }
        }
        #expect(ItemState.allCases.filter(\.isFinished) == [.done, .skipped, .failed, .quarantined])
    }

    @Test("the table of items takes exactly the rows that the states allow")
    func checks() throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan([row(1)])
        _ = try store.beginRun(version: "1")
        store.close()
        let connection = try Connection(path: job.path)
        let flags = [false, true]
        for state in ItemState.allCases {
            for (held, original) in flags.flatMap({ held in flags.map { (held, $0) } }) {
                for (error, waits) in flags.flatMap({ error in flags.map { (error, $0) } }) {
                    let isAllowed =
                        (state == .running) == held && (original || state != .done)
                        && (error || ![.failed, .quarantined].contains(state)) && (!waits || state == .retry)
                    #expect(
                        try takes(
                            connection,
                            state,
                            held: held,
                            original: original,
                            error: error,
                            waits: waits
                        ) == isAllowed,
                        "\(state) held \(held) original \(original) error \(error) waits \(waits)"
                    )
                }
            }
        }
        #expect(throws: SQLiteError.self) { try connection.execute("UPDATE item SET state = 'Done'") }
    }

    private func takes(
        _ connection: Connection,
        _ state: ItemState,
        held: Bool,
        original: Bool,
        error: Bool,
        waits: Bool
    ) throws -> Bool {
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        do {
            try connection.statement(
                "UPDATE item SET state = ?, run_id = ?, original_sha256 = ?, error = ?, not_before_ms = ?"
            ).run(
                state.rawValue,
                held ? 1 : nil,
                original ? "0f" : nil,
                error ? "http_404" : nil,
                waits ? 5 : 0
            )
            return true
        } catch  where error.isConstraint {
            return false
        }
    }
}
