import JobManifest
import Testing

@Suite struct ItemPriorityTests {
    @Test("priorities are in the order of their urgency")
    func order() {
        #expect(ItemPriority.allCases == ItemPriority.allCases.sorted())
    }

    @Test("priorities have ranks from 0 to 4, and compare by them")
    func ranks() {
        let order: [ItemPriority] = [.veryLow, .low, .normal, .high, .veryHigh]
        #expect(order.map(\.rank) == [0, 1, 2, 3, 4])
        #expect(ItemPriority.low < .normal && ItemPriority.veryHigh > .high)
        #expect(!(ItemPriority.normal < .normal))
    }
}
