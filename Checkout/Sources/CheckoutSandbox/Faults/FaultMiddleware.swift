import Hummingbird
import NIOCore

/// A request's context that knows the connection it came on, to be able to cut it.
struct SandboxContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// No request of the API is longer.
    var maxUploadSize: Int { 65_536 }

    /// Ends the connection; whatever is answered after that goes nowhere.
    func cut() async { try? await channel.close() }
}

/// Makes requests to the API go wrong by a plan. The ledger stays readable.
struct FaultMiddleware: RouterMiddleware {
    let plan: FaultPlan

    @concurrent func handle(
        _ request: Request, context: SandboxContext,
        next: @concurrent (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        guard request.uri.path != "/v1/ledger", let fault = plan.next() else {
            return try await next(request, context)
        }
        switch fault {
        case .cutBefore:
            await context.cut()
            return Response(status: .serviceUnavailable)
        case .failBefore: return Response(status: .serviceUnavailable)
        case .lateBefore:
            try await Task.sleep(for: plan.delay)
            return try await next(request, context)
        case .cutAfter, .failAfter, .lateAfter, .garbage:
            let response = try await next(request, context)
            return try await spoil(response, fault, context)
        }
    }

    private func spoil(_ response: Response, _ fault: Fault, _ context: SandboxContext) async throws
        -> Response
    {
        switch fault {
        case .cutAfter: await context.cut()
        case .lateAfter: try await Task.sleep(for: plan.delay)
        case .failAfter: return Response(status: .internalServerError)
        case .garbage:
            return Response(
                status: response.status, body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"id\":")))
        case .cutBefore, .failBefore, .lateBefore: break
        }
        return response
    }
}
