internal import CardData

/// A form made of fields: looks whether everything is there and right, and pays.
///
/// **Closures or a delegate?** Both: the closures are what the component calls; ``init(client:today:delegate:)`` sets
/// closures that call the delegate. Closures suit a form of a few lines and cannot be called after the component is
/// gone; a delegate suits a screen that has other delegates already. They belong to the component and not to the
/// client, because a client is shared by forms and would have to tell whose result it is.
///
/// One component is for one payment: after a success, or a possible one, it pays nothing more.
///
/// Like the fields, it lives where its user interface lives, and calls its closures there.
public final class CardFieldComponent {
    /// What is to be paid.
    public enum Order: Sendable {
        /// An order to be made. One that was made before.
        case request(OrderRequest), id(TransactionID)
    }

    /// The fields, in the order in which they were added.
    public internal(set) var fields: [any CardField] = []

    private let client: CardClient
    private let today: CalendarMonth
    private let swipeNeedsCode: Bool
    private let createOrder: () async -> Order?
    private let onApprove: (CaptureResponse) -> Void
    private let onError: (CaptureError) -> Void
    private var isSubmitting = false
    /// Why nothing is paid any more; nil as long as something may be.
    private var end: CaptureError?

    /// A form without fields.
    ///
    /// - Parameters:
    ///   - client: pays.
    ///   - today: the present month, against which expiry dates are judged.
    ///   - swipeNeedsCode: whether a card that was swiped in clear needs its code typed, too.
    ///   - createOrder: is asked what is to be paid once the fields are right; nil for nothing any more.
    ///   - onApprove: is told that it was paid.
    ///   - onError: is told why not; also that it may have been.
    public init(
        client: CardClient, today: CalendarMonth = .current, swipeNeedsCode: Bool = false,
        createOrder: @escaping () async -> Order?,
        onApprove: @escaping (CaptureResponse) -> Void,
        onError: @escaping (CaptureError) -> Void
    ) {
        self.client = client
        self.today = today
        self.swipeNeedsCode = swipeNeedsCode
        self.createOrder = createOrder
        self.onApprove = onApprove
        self.onError = onError
    }

    /// A form that tells a delegate, which it does not keep alive.
    public convenience init(
        client: CardClient, today: CalendarMonth = .current, swipeNeedsCode: Bool = false,
        delegate: any CardFieldComponentDelegate
    ) {
        self.init(
            client: client, today: today, swipeNeedsCode: swipeNeedsCode,
            createOrder: { [weak delegate] in await delegate?.createOrder() },
            onApprove: { [weak delegate] in delegate?.cardFieldComponentDidApprove($0) },
            onError: { [weak delegate] in delegate?.cardFieldComponentDidFail($0) })
    }

    /// Adds fields.
    public func add(_ fields: any CardField...) { self.fields += fields }

    /// Looks at the fields; where all are right, asks for the order and pays it. Ends in one call of `onApprove` or
    /// `onError`; a call while another one is under way does nothing.
    public func submit() async {
        guard !isSubmitting else { return }
        isSubmitting = true
        defer { isSubmitting = false }
        do throws(CaptureError) {
            if let end { throw end }
            let response = try await pay(with: try checkedCard())
            end = .alreadyCaptured(response.orderID)
            for field in fields { field.validationStatusChanged(.passed) }
            onApprove(response)
        } catch {
            // Another submit would ask for another order.
            switch error {
            case .possibleSuccess, .alreadyCaptured, .alreadyPaid, .underWay: end = error
            case .missingFields, .invalidFields, .duplicateFields, .failed, .cancelled, .earlierPayments,
                .journalUnreadable:
                break
            }
            if let wrong = fieldRefused(by: error) { wrong.validationStatusChanged(.failed) }
            onError(error)
        }
    }

    /// The field that the service's answer is about; of a swipe that is the swipe's own.
    private func fieldRefused(by error: CaptureError) -> (any CardField)? {
        guard case .failed(.gateway(let answer)) = error, let component = answer.code.field else {
            return nil
        }
        let swipe = fields.first { $0.component == .swipe && $0.swipedCard != nil }
        if component != .cvv, let swipe { return swipe }
        return fields.first { $0.component == component }
    }

    private func pay(with card: CardDetails) async throws(CaptureError) -> CaptureResponse {
        switch await createOrder() {
        case .request(let request): try await client.capture(order: request, card: card)
        case .id(let id): try await client.capture(orderID: id, card: card)
        case nil: throw .cancelled
        }
    }

    /// The card that the fields make, each field told what became of it.
    private func checkedCard() throws(CaptureError) -> CardDetails {
        let check = FieldsCheck(fields, today: today, swipeNeedsCode: swipeNeedsCode)
        for field in fields {
            field.validationStatusChanged(check.problems[field.component] == nil ? .passed : .failed)
        }
        return try check.card()
    }
}

/// Is told what a ``CardFieldComponent`` needs and what became of it.
public protocol CardFieldComponentDelegate: AnyObject {
    /// What is to be paid; nil for nothing any more.
    func createOrder() async -> CardFieldComponent.Order?
    /// It was paid.
    func cardFieldComponentDidApprove(_ response: CaptureResponse)
    /// It was not, or is not known to have been.
    func cardFieldComponentDidFail(_ error: CaptureError)
}
