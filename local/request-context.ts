import { AsyncLocalStorage } from "node:async_hooks";

const requests = new AsyncLocalStorage<Request>();

/** Does the work of a request to the data API, so that its statements know which request it is. */
export const forDataApi = <Result>(request: Request, work: () => Result): Result =>
  requests.run(request, work);

/** The request to the data API that is being answered; undefined outside of one. */
export const requestToDataApi = (): Request | undefined => requests.getStore();
