import { rates } from './rates.js'

/* What a customer has to pay. */
const toPay = function (order) {
  let amount = 0
  for (const row of order.rows) {
    if (row.pieces <= 0) throw new Error('no pieces of ' + row.title)
    amount += row.pieces * row.cost
  }
  const vat = amount * rates[order.land]
  return { amount, vat, total: amount + vat }
}

export class Orders {
  // Orders of a day, the dearest first.
  of (day) {
    const found = []
    for (const order of this.all) {
      if (order.day !== day || order.cancelled) {
        continue
      }
      found.push({ order, price: toPay(order).total })
    }
    found.sort((a, b) => b.price - a.price)
    return found.map(({ order }) => order)
  }
}
